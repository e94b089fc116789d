import { cannedAnswer, cannedCall } from '../../load/canned.mjs';
import { ECHO, ECHO_ARGUMENTS } from '../../workload.mjs';
import { importClient, importTransports } from './dist.mjs';

/**
 * @param {import('plumb-mcp/client').Target} target
 * @returns {Promise<import('../../load/client-host.mjs').BenchClient>}
 */
async function open(target) {
  const { connect } = await importClient();
  const client = await connect(target);
  return {
    call: async () => {
      const { content } = await client.tools.call(ECHO.name, ECHO_ARGUMENTS);
      const [first] = content;
      return first?.type === 'text' ? first.text : undefined;
    },
    close: () => client.close(),
  };
}

/** The other end of the memory pair answers with prepared text, as the limit's does. */
export async function connectMemory() {
  const { createMemoryPair } = await importTransports();
  const [ours, theirs] = createMemoryPair();
  await theirs.start({
    message: (decoded, text) => {
      const isCall = decoded.kind === 'request' && decoded.message.method === 'tools/call';
      const answer = isCall ? cannedCall(JSON.stringify(decoded.message.id)) : cannedAnswer(text);
      if (answer !== undefined) void theirs.send(answer);
    },
    fault: ({ message }) => {
      throw new Error(message);
    },
    closed: () => {},
  });
  return open(ours);
}

/**
 * @param {string} command
 * @param {string[]} args
 */
export function connectStdio(command, args) {
  return open({ command, args });
}

/** @param {string} url */
export function connectHttp(url) {
  return open(url);
}
