/** One HTTP request on node:http, with nothing added that was not asked for. */

import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

export interface PlainHttpRequest {
  readonly url: URL;
  readonly method: string;
  /** A value of undefined leaves the header out. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly timeoutMs: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly message: IncomingMessage;
  abort(): void;
}

class StaleConnection extends Error {}

/** Connections are kept and reused; `destroy` closes them all. */
export class PlainHttpClient {
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: 64 });
  readonly #https = new HttpsAgent({ keepAlive: true, maxSockets: 64 });

  /**
   * A kept connection may be closed by the other side just when it is used again; then a new one is made,
   * because the next kept one may be as old.
   */
  async call(request: PlainHttpRequest): Promise<HttpAnswer> {
    try {
      return await this.#once(request, true);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return this.#once(request, false);
    }
  }

  #once(request: PlainHttpRequest, reuse: boolean): Promise<HttpAnswer> {
    const secure = request.url.protocol === 'https:';
    return new Promise((resolve, reject) => {
      const outgoing = (secure ? requestHttps : requestHttp)(request.url, {
        method: request.method,
        agent: reuse ? (secure ? this.#https : this.#http) : false,
        headers: presentHeaders(request),
      });
      const timer = setTimeout(
        () => outgoing.destroy(new Error(`no answer within ${request.timeoutMs} ms`)),
        request.timeoutMs,
      );
      outgoing.on('error', (error) => {
        clearTimeout(timer);
        const lost = 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(lost && outgoing.reusedSocket ? new StaleConnection(error.message) : error);
      });
      outgoing.on('response', (message) => {
        clearTimeout(timer);
        // After this an error is only the end of the body, whatever caused it.
        message.on('error', () => {});
        resolve({
          status: message.statusCode ?? 0,
          headers: flatten(message.headers),
          message,
          abort: () => outgoing.destroy(),
        });
      });
      outgoing.end(request.body);
    });
  }

  destroy(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

function presentHeaders({ headers, body }: PlainHttpRequest): Record<string, string> {
  const present: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) present[name] = value;
  if (body !== undefined) present['content-length'] = String(Buffer.byteLength(body));
  return present;
}

function flatten(headers: IncomingMessage['headers']): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
