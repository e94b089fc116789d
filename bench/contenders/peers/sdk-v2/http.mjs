import { randomUUID } from 'node:crypto';
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { listen, withSessions } from '../listen.mjs';
import { createEchoServer } from './server.mjs';

const isHostValid = localhostHostValidation();
const isOriginValid = localhostOriginValidation();

/** With the checks that its documentation puts in front of a plain listener. */
function guarded(handler) {
  return (request, response) => {
    if (isHostValid(request, response) && isOriginValid(request, response)) return handler(request, response);
  };
}

export function serve(serving) {
  if (serving.mode !== 'sessions') {
    const handler = createMcpHandler(() => createEchoServer(serving), { responseMode: 'json' });
    return listen(guarded(toNodeHandler(handler)));
  }
  return listen(
    guarded(
      withSessions(async (sessions) => {
        const transport = new NodeStreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          enableJsonResponse: true,
          onsessioninitialized: (id) => void sessions.set(id, transport),
        });
        await createEchoServer(serving).connect(transport);
        return transport;
      }),
    ),
  );
}
