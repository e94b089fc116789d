import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createEchoServer } from './server.mjs';

export function serve(serving) {
  serveStdio(() => createEchoServer(serving));
}
