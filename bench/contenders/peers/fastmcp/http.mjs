import { createServer } from 'node:net';
import { createEchoServer } from './server.mjs';

/** It does not tell which port it got, so it is given a free one. */
function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

export async function serve(serving) {
  const port = await freePort();
  const httpStream = {
    port,
    host: '127.0.0.1',
    stateless: serving.mode === 'stateless',
    enableJsonResponse: true,
  };
  await createEchoServer(serving).start({ transportType: 'httpStream', httpStream });
  return { url: `http://127.0.0.1:${port}/mcp` };
}
