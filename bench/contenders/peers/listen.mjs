/** A listener on a free port of this machine. */
import { createServer } from 'node:http';

/** @param {import('node:http').RequestListener} handler */
export async function listen(handler) {
  const server = createServer(handler);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/mcp` };
}

/**
 * Sessions as the examples of the official SDKs keep them: one server and one transport for each.
 *
 * @param {(sessions: Map<string, Stateful>) => Promise<Stateful>} open
 * @returns {import('node:http').RequestListener}
 */
export function withSessions(open) {
  /** @type {Map<string, Stateful>} */
  const sessions = new Map();
  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const transport = typeof id === 'string' ? sessions.get(id) : await open(sessions);
    if (transport === undefined) response.writeHead(404).end();
    else await transport.handleRequest(request, response);
  };
}

/** @typedef {{ handleRequest(request: unknown, response: unknown): Promise<void> }} Stateful */
