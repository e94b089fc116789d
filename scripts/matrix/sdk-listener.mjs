/** A listening socket for the servers of the official SDKs, which ends with the standard input of its process. */
import { createServer } from 'node:http';

/**
 * Prints the origin.
 *
 * @param {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse, body: unknown) => unknown} handle
 */
export async function listenForSdk(handle) {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    await handle(request, response, text === '' ? undefined : JSON.parse(text));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen.');
  process.stdout.write(`http://127.0.0.1:${address.port}\n`);
  process.stdin.resume().once('close', () => process.exit());
}
