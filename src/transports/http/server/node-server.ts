/**
 * An HTTP server whose handler cannot end the process: whatever a request makes it throw is reported, and answered
 * with 500 where that is still possible. Every listener of ours is made here.
 */

import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { endAfterRequest } from './node-linger.js';

export function createHttpServer(
  options: ServerOptions,
  handler: RequestListener,
  onError: (error: unknown) => void = () => undefined,
): Server {
  return createServer(options, (request, response) => {
    try {
      handler(request, response);
    } catch (error) {
      onError(error);
      // Errors of the socket are disconnects; without a listener they would end the process.
      response.on('error', ignore);
      if (response.headersSent) response.destroy();
      else {
        response.writeHead(500, { 'Content-Type': 'text/plain', Connection: 'close' });
        response.write('Internal error\n');
        endAfterRequest(request, response);
      }
    }
  });
}

function ignore(): void {}
