/** Serves a folder of files on loopback, as any web server would serve the site. `node scripts/site/serve.mjs [PORT]`. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { isMain, root } from '../run.mjs';

/** @type {Record<string, string>} */
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * @param {string} folder
 * @param {number} [port]
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export function serveFolder(folder, port = 0) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
    const file = [path, `${path}.html`, join(path, 'index.html')]
      .map((name) => join(folder, name))
      .find((name) => name.startsWith(folder) && existsSync(name) && statSync(name).isFile());
    if (file === undefined) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is no such page\n');
      return;
    }
    response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const taken = typeof address === 'object' && address !== null ? address.port : port;
      const close = () => {
        server.close();
        server.closeAllConnections();
      };
      resolve({ url: `http://127.0.0.1:${taken}/`, close });
    });
  });
}

if (isMain(import.meta)) {
  const { url } = await serveFolder(join(root, 'site', 'dist'), Number(process.argv[2] ?? 0));
  console.log(`The documentation is at ${url}. Press Ctrl-C to stop.`);
}
