import { createEchoServer } from './server.mjs';

/** @param {import('../../workload.mjs').Serving} serving */
export async function serve(serving) {
  const server = await createEchoServer(serving);
  await server.stdio();
}
