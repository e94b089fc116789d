/** Just enough of the protocol for a handshake and the tools, and nothing that checks anything. */
import { BLOB, blob, ECHO, echo, fillerNames } from '../../workload.mjs';

/** @typedef {{ id?: number | string, method: string, params: Record<string, unknown> }} Asked */

/** @param {number} fillers */
export function createAnswers(fillers) {
  const tools = [ECHO, BLOB, ...fillerNames(fillers).map((name) => ({ ...ECHO, name }))];
  /** @param {Asked} asked */
  return function answer({ id, method, params }) {
    if (method === 'tools/call') {
      const { name, arguments: args } = /** @type {{ name: string, arguments: never }} */ (params);
      const text = name === 'blob' ? blob(args) : echo(args);
      return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } };
    }
    if (method === 'tools/list') return { jsonrpc: '2.0', id, result: { tools } };
    if (method === 'initialize') {
      const serverInfo = { name: 'limit', version: '1.0.0' };
      const { protocolVersion } = params;
      return { jsonrpc: '2.0', id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } };
    }
    return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
  };
}
