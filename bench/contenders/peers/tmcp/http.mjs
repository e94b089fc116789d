import { getRequestListener } from '@hono/node-server';
import { HttpTransport } from '@tmcp/transport-http';
import { listen } from '../listen.mjs';
import { createEchoServer } from './server.mjs';

export function serve(serving) {
  const transport = new HttpTransport(createEchoServer(serving), { path: '/mcp' });
  return listen(
    getRequestListener(async (request) => {
      return (await transport.respond(request)) ?? new Response(null, { status: 404 });
    }),
  );
}
