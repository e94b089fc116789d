import { randomUUID } from 'node:crypto';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { listen, withSessions } from '../listen.mjs';
import { createEchoServer } from './server.mjs';

export function serve(serving) {
  if (serving.mode === 'sessions') {
    return listen(
      withSessions(async (sessions) => {
        const transport = new StreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          enableJsonResponse: true,
          onsessioninitialized: (id) => void sessions.set(id, transport),
        });
        await createEchoServer(serving).connect(transport);
        return transport;
      }),
    );
  }
  return listen(async (request, response) => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    });
    const server = createEchoServer(serving);
    response.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });
}
