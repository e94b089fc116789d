import { importStore } from './dist.mjs';
import { createEchoServer } from './server.mjs';

/** @param {import('../../workload.mjs').Serving} serving */
export async function serve(serving) {
  const server = await createEchoServer(serving);
  const { url } = await server.http({
    port: 0,
    ...(serving.mode === 'stateless' ? { sessions: false } : {}),
    ...(serving.sessions === undefined ? {} : { store: await storeFor(serving.sessions) }),
  });
  return { url };
}

/**
 * By default one address may have a quarter of all sessions.
 *
 * @param {number} sessions
 */
async function storeFor(sessions) {
  const { createMemoryStore } = await importStore();
  return createMemoryStore({ maxSessions: sessions, maxSessionsPerPeer: sessions });
}
