/**
 * The redirect of a native application (RFC 8252): a listener on this machine that takes one answer, the one to the
 * question that was asked. Other pages may send the browser here too; they do not know the state, and are ignored.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { milliseconds } from '../../protocol/duration.js';
import { createHttpServer } from '../../transports/http/server/node-server.js';
import { END_PAGE_HEADERS, endPage } from './end-page.js';
import { AuthError } from './errors.js';
import type { Login, LoopbackOptions, Redirect } from './interaction.js';
import { openBrowser } from './node-browser.js';

const HOST = '127.0.0.1';
const PATH = '/callback';
const DEFAULT_TIMEOUT_MS = 5 * 60_000;

export async function openLoopback(
  preferred: string | undefined,
  options: LoopbackOptions,
): Promise<Redirect> {
  const listener = new RedirectListener(options);
  await listener.start(options.port ?? portOf(preferred));
  return listener;
}

/** The port of the redirect that we are registered with, if it is one of ours. */
function portOf(preferred: string | undefined): number {
  if (preferred === undefined || !URL.canParse(preferred)) return 0;
  const url = new URL(preferred);
  return url.hostname === HOST && url.pathname === PATH ? Number(url.port) : 0;
}

class RedirectListener implements Redirect {
  readonly #options: LoopbackOptions;
  readonly #server: Server;
  #waiting: { readonly state: string; settle(url: URL): void; stop(): void } | undefined;
  /** The browser waits for its page until the login is over. */
  #page: ServerResponse | undefined;
  #port = 0;

  constructor(options: LoopbackOptions) {
    this.#options = options;
    this.#server = createHttpServer({}, (request, response) => this.#received(request, response));
  }

  get redirectUri(): string {
    return `http://${HOST}:${this.#port}${PATH}`;
  }

  async start(port: number): Promise<void> {
    try {
      await this.#listen(port);
    } catch (error) {
      // The port of last time may be taken; a port that was requested explicitly must not be replaced.
      if (port === 0 || this.#options.port !== undefined) throw error;
      await this.#listen(0);
    }
    const { port: bound } = this.#server.address() as AddressInfo;
    this.#port = bound;
  }

  async authorize(login: Login): Promise<URL> {
    const { timeout = DEFAULT_TIMEOUT_MS, signal, show = showOnTerminal } = this.#options;
    const timeoutMs = milliseconds(timeout);
    const state = login.url.searchParams.get('state') ?? '';
    const answer = new Promise<URL>((resolve, reject) => {
      const late = setTimeout(() => {
        const minutes = Math.round(timeoutMs / 60_000);
        reject(
          new AuthError(
            'login_cancelled',
            `The login was not finished within ${minutes} minutes; start it again`,
          ),
        );
      }, timeoutMs);
      const aborted = (): void => {
        reject(new AuthError('login_cancelled', 'The login was interrupted; start it again'));
      };
      signal?.addEventListener('abort', aborted, { once: true });
      if (signal?.aborted === true) aborted();
      const stop = (): void => {
        clearTimeout(late);
        signal?.removeEventListener('abort', aborted);
      };
      this.#waiting = { state, settle: resolve, stop };
    });
    // Whatever happens first: the answer may also come while the browser is still being opened.
    answer.catch(() => undefined);
    await show(login);
    return answer;
  }

  async close(succeeded: boolean): Promise<void> {
    this.#waiting?.stop();
    this.#waiting = undefined;
    this.#page?.writeHead(200, END_PAGE_HEADERS).end(endPage(succeeded));
    this.#page = undefined;
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeIdleConnections();
    });
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, HOST, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  #received(request: IncomingMessage, response: ServerResponse): void {
    // Errors of the socket are disconnects; without a listener they would end the process.
    response.on('error', () => undefined);
    const url = this.#requested(request);
    const waiting = this.#waiting;
    if (url === undefined || waiting === undefined || url.searchParams.get('state') !== waiting.state) {
      response.writeHead(404, END_PAGE_HEADERS).end();
      return;
    }
    waiting.stop();
    this.#waiting = undefined;
    this.#page = response;
    waiting.settle(url);
  }

  /** The URL that the browser came to; undefined where it is not the one we gave to the authorization server. */
  #requested({ method, headers, url = '' }: IncomingMessage): URL | undefined {
    // Compared as it was sent: `//host/callback` is no path of ours, and the whole of a URL may be another host's.
    const isOurs = url === PATH || url.startsWith(`${PATH}?`);
    if (!isOurs || method !== 'GET' || headers.host !== `${HOST}:${this.#port}`) return undefined;
    return new URL(url, this.redirectUri);
  }
}

async function showOnTerminal({ url, server }: Login): Promise<void> {
  const opened = await openBrowser(url);
  const how = opened
    ? 'Your browser opens so that you can log in'
    : 'Open this page in a browser on this machine to log in';
  process.stderr.write(`${how} to ${server.origin}:\n  ${url.href}\n`);
}
