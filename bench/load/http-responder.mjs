/** A server over HTTP that costs next to nothing: bytes of node:net, with no parser of HTTP but these few lines. */
import { createServer } from 'node:net';
import { cannedAnswer } from './canned.mjs';

export async function serve() {
  const server = createServer({ noDelay: true }, (socket) => {
    let text = '';
    socket.setEncoding('latin1');
    socket.on('error', () => socket.destroy());
    socket.on('data', (/** @type {string} */ chunk) => {
      text += chunk;
      for (;;) {
        const headEnd = text.indexOf('\r\n\r\n');
        if (headEnd < 0) return;
        const head = text.slice(0, headEnd);
        const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
        const end = headEnd + 4 + length;
        if (text.length < end) return;
        const body = text.slice(headEnd + 4, end);
        text = text.slice(end);
        socket.write(
          head.startsWith('POST')
            ? post(body)
            : 'HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n',
        );
      }
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/mcp` };
}

/** @param {string} body */
function post(body) {
  const answer = cannedAnswer(body);
  if (answer === undefined) return 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n';
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${answer.length}\r\n\r\n${answer}`;
}
