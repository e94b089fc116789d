import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createEchoServer } from './server.mjs';

export async function serve(serving) {
  await createEchoServer(serving).connect(new StdioServerTransport());
}
