import { cannedAnswer } from '../../load/canned.mjs';
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
    call: () => client.tools.call(ECHO.name, ECHO_ARGUMENTS).then(textOf),
    close: () => client.close(),
  };
}

/** @param {import('plumb-mcp/protocol').CallToolResult} result */
function textOf({ content: [first] }) {
  return first?.type === 'text' ? first.text : undefined;
}

/** The other end of the memory pair answers with prepared text, as the limit's does. */
export async function connectMemory() {
  const { createMemoryPair } = await importTransports();
  const [ours, theirs] = createMemoryPair();
  await theirs.start({
    // Taken as text, as the limit's end does: decoding requests is the work of a server, and none is measured here.
    take: (text) => {
      const answer = cannedAnswer(text);
      if (answer !== undefined) void theirs.send(answer);
      return 0;
    },
    message: () => {
      throw new Error('Everything has been taken as text');
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
