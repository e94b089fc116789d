/** What the machine allows when many listen: responses that are kept open, and one write to each. */
import { createServer } from 'node:http';

export async function serve() {
  /** @type {import('node:http').ServerResponse[]} */
  const open = [];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(event('notifications/subscriptions/acknowledged'));
    open.push(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', 4096, () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const change = () => {
    const text = event('notifications/tools/list_changed');
    for (const response of open) response.write(text);
  };
  return { url: `http://127.0.0.1:${port}/mcp`, actions: { change } };
}

/** @param {string} method */
function event(method) {
  const params = { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } };
  return `data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`;
}
