/**
 * The origin that apps are shown from: a listener of its own, so that an app shares nothing with the page. It serves one
 * document for each view, which holds the app in a frame within and passes messages on.
 */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpServer } from '../../transports/http/server/node-server.js';

const HOST = '127.0.0.1';
const MAX_VIEWS = 50;

interface SandboxView {
  readonly policy: string;
  readonly allow: string;
  readonly host: string;
}

export class AppSandbox {
  readonly #views = new Map<string, SandboxView>();
  #server: Promise<Server> | undefined;

  /** The address of a new view. */
  async open(view: SandboxView): Promise<{ readonly id: string; readonly url: string }> {
    this.#server ??= this.#listen();
    const { port } = (await this.#server).address() as AddressInfo;
    const id = randomUUID();
    this.#views.set(id, view);
    const [oldest] = this.#views.keys();
    if (this.#views.size > MAX_VIEWS && oldest !== undefined) this.#views.delete(oldest);
    return { id, url: `http://${HOST}:${port}/${id}` };
  }

  forget(id: string): void {
    this.#views.delete(id);
  }

  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  async #listen(): Promise<Server> {
    const server = createHttpServer(
      {},
      (request, response) => this.#serve(request, response),
      () => undefined,
    );
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, HOST, () => {
        server.off('error', reject);
        resolve();
      });
    });
    server.unref();
    return server;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    response.on('error', () => undefined);
    const isOurs = request.headers.host?.startsWith(`${HOST}:`) === true;
    const view =
      request.method === 'GET' && isOurs ? this.#views.get(request.url?.slice(1) ?? '') : undefined;
    if (view === undefined) {
      response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end('There is no such app\n');
      return;
    }
    response.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      // The frame within takes this policy over, because its document has no address of its own.
      'Content-Security-Policy': `${view.policy}; frame-ancestors ${view.host}`,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'X-DNS-Prefetch-Control': 'off',
      'Cache-Control': 'no-store',
    });
    response.end(sandboxDocument(view));
  }
}

/** Starts nothing by itself, and keeps the messages that are between it and the page to itself. */
function sandboxDocument({ host, allow }: SandboxView): string {
  const given = JSON.stringify({ host, allow }).replaceAll('<', '\\u003c');
  return `<!doctype html>
<meta charset="utf-8">
<title>App</title>
<style>html, body { margin: 0; height: 100% } iframe { display: block; border: 0; width: 100%; height: 100% }</style>
<body>
<script>
  const { host, allow } = ${given};
  const OWN = 'ui/notifications/sandbox-';
  let view;
  addEventListener('message', ({ source, origin, data }) => {
    if (source === parent && origin === host) {
      if (data?.method !== OWN + 'resource-ready') return void view?.contentWindow?.postMessage(data, '*');
      if (view !== undefined) return;
      view = document.createElement('iframe');
      view.title = 'App';
      view.setAttribute('sandbox', 'allow-scripts allow-forms');
      view.allow = allow;
      view.srcdoc = data.params.html;
      document.body.append(view);
    } else if (view !== undefined && source === view.contentWindow) {
      if (typeof data?.method === 'string' && data.method.startsWith(OWN)) return;
      parent.postMessage(data, host);
    }
  });
  parent.postMessage({ jsonrpc: '2.0', method: OWN + 'proxy-ready', params: {} }, host);
</script>
`;
}
