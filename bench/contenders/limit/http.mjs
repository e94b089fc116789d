/** What the machine allows over HTTP: node:http, JSON.parse and JSON.stringify, no checks. */
import { createServer } from 'node:http';
import { createAnswers } from './answers.mjs';

/** @param {import('../../workload.mjs').Serving} serving */
export async function serve({ mode, tools = 0 }) {
  const answer = createAnswers(tools);
  // A list is made once, and its bytes are sent as they are.
  const { result } = answer({ method: 'tools/list', params: {} });
  const list = Buffer.from(`,"result":${JSON.stringify(result)}}`);
  const sendList = (/** @type {import('node:http').ServerResponse} */ response, /** @type {number} */ id) => {
    const start = `{"jsonrpc":"2.0","id":${id}`;
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': start.length + list.length,
    });
    response.write(start);
    response.end(list);
  };
  let sessions = 0;
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (/** @type {string} */ chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const asked = JSON.parse(body);
      if (asked.id === undefined) {
        response.writeHead(202).end();
        return;
      }
      if (asked.method === 'tools/list') return sendList(response, asked.id);
      const text = JSON.stringify(answer(asked));
      /** @type {Record<string, string | number>} */
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
      if (mode === 'sessions' && asked.method === 'initialize') {
        sessions += 1;
        headers['Mcp-Session-Id'] = `session-${sessions}`;
      }
      response.writeHead(200, headers).end(text);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/mcp` };
}
