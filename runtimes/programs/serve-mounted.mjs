/** Serves behind the HTTP server of the runtime itself, and prints where. */
import { createServer } from 'node:http';
import { createTestedServer } from './server.mjs';

/** @typedef {{ port: number, hostname: string }} Place */
/** @type {{ serve: (options: Place & { fetch: unknown, idleTimeout?: number }) => Place } | undefined} */
const bun = Reflect.get(globalThis, 'Bun');
/** @type {{ serve: (options: Place & { onListen: (place: Place) => void }, fetch: unknown) => unknown } | undefined} */
const deno = Reflect.get(globalThis, 'Deno');
const server = createTestedServer();
const place = { port: 0, hostname: '127.0.0.1' };

/** @param {number | undefined} port */
function announce(port) {
  console.log(`http://127.0.0.1:${port}`);
}

if (bun !== undefined) {
  announce(bun.serve({ ...place, fetch: server.fetch, idleTimeout: 0 }).port);
} else if (deno !== undefined) {
  deno.serve({ ...place, onListen: ({ port }) => announce(port) }, server.fetch);
} else {
  const http = createServer(server.node);
  http.listen(0, '127.0.0.1', () => {
    const address = http.address();
    announce(typeof address === 'object' ? address?.port : undefined);
  });
}
