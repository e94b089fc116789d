/** The outcome of the matrix as a page of the documentation. */
import { FEATURES } from './features.mjs';

/** @typedef {import('./cells.mjs').Outcome} Outcome */
/** @typedef {import('./servers.mjs').Transport} Transport */

/** @type {readonly { transport: Transport, name: string }[]} */
const TRANSPORTS = [
  { transport: 'stdio', name: 'stdio' },
  { transport: 'http', name: 'Streamable HTTP' },
  { transport: 'sse', name: 'the old HTTP+SSE' },
];

/**
 * @param {readonly { name: string, transports: readonly Transport[] }[]} clients
 * @param {readonly { name: string, transports: readonly Transport[] }[]} servers
 * @param {readonly Outcome[]} outcomes
 */
export function pageOf(clients, servers, outcomes) {
  const failures = outcomes.flatMap(failuresOf);
  const tables = TRANSPORTS.flatMap((front) =>
    TRANSPORTS.map((back) => {
      const rows = clients.map(({ name }) => {
        const cells = servers.map((server) =>
          cellText(
            outcomes.find(
              (outcome) =>
                outcome.client.name === name &&
                outcome.server.name === server.name &&
                outcome.front === front.transport &&
                outcome.back === back.transport,
            ),
          ),
        );
        return `| ${name} | ${cells.join(' | ')} |`;
      });
      return `## Client over ${front.name}, server over ${back.name}

| client | ${servers.map(({ name }) => name).join(' | ')} |
|---|${servers.map(() => '---').join('|')}|
${rows.join('\n')}
`;
    }),
  );
  return `# Compatibility

Written by \`npm run matrix\`: each client (rows) with each server (columns), through a chain. The clients are ours in
each revision and those of the official SDKs; the servers are our demo in each revision and servers built with the
official SDKs. Over stdio a client starts \`plumb proxy\`; over HTTP it connects to a running chain.

Each cell tests:

${Object.keys(FEATURES)
  .map((feature) => `- ${feature}`)
  .join('\n')}

\`all 14\` is all of them. Elicitation came with 2025-06-18, so \`all 13\` is complete if one side is older. \`–\` means that
one side does not support the transport: the stateless revision does not exist on the old HTTP+SSE, and SDK v2 has no
server for it.

${outcomes.length} cells. ${failures.length === 0 ? 'Nothing failed.' : `What failed:\n\n${failures.map((failure) => `- ${failure}`).join('\n')}`}

${tables.join('\n')}`;
}

/** @param {Outcome | undefined} outcome */
function cellText(outcome) {
  if (outcome === undefined) return '–';
  const { tried, failures } = outcome;
  if (tried === 0) return 'no connection';
  return failures.length === 0 ? `all ${tried}` : `${tried - failures.length} of ${tried}`;
}

/** @param {Outcome} outcome */
export function failuresOf({ client, server, front, back, failures }) {
  return failures.map((failure) => `${client.name} over ${front} to ${server.name} over ${back}, ${failure}`);
}
