import { createEchoServer } from './server.mjs';

/** @param {import('../../workload.mjs').Serving} serving */
export async function serve(serving) {
  const server = await createEchoServer(serving);
  const { url } = await server.http({
    port: 0,
    ...(serving.mode === 'stateless' ? { sessions: false } : {}),
  });
  return { url };
}
