import { StdioTransport } from '@tmcp/transport-stdio';
import { createEchoServer } from './server.mjs';

export function serve(serving) {
  new StdioTransport(createEchoServer(serving)).listen();
}
