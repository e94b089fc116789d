/** Answers that cost next to nothing, so that the client which asks is what is measured. */
import { ECHO, ECHO_ARGUMENTS, echo } from '../workload.mjs';

const TEXT = JSON.stringify(echo(ECHO_ARGUMENTS));

/** @param {string | number} id  as JSON */
export function cannedCall(id) {
  return `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":${TEXT}}]}}`;
}

/**
 * @param {string} text  a message of a client of the handshake era
 * @returns {string | undefined} undefined where there is nothing to answer
 */
export function cannedAnswer(text) {
  if (text.includes('"tools/call"')) {
    const id = /"id":("[^"]*"|\d+)/.exec(text)?.[1];
    if (id !== undefined) return cannedCall(id);
  }
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return undefined;
  const answer = (/** @type {object} */ outcome) => JSON.stringify({ jsonrpc: '2.0', id, ...outcome });
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'canned', version: '1.0.0' };
    return answer({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  }
  if (method === 'tools/list') return answer({ result: { tools: [ECHO] } });
  if (method === 'ping') return answer({ result: {} });
  return answer({ error: { code: -32601, message: 'Method not found' } });
}
