import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { listen } from '../listen.mjs';
import { createEchoServer } from './server.mjs';

export async function serve() {
  const handler = createMcpHandler(() => createEchoServer({}), { maxSubscriptions: 20_000 });
  return {
    ...(await listen(toNodeHandler(handler))),
    actions: { change: () => handler.notify.toolsChanged() },
  };
}
