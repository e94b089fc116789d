/** Public documents beside an endpoint, such as protected resource metadata (RFC 9728): readable without a token. */

import type { JsonObject } from '../../jsonrpc/message.js';
import type { Awaitable } from '../../protocol/awaitable.js';
import type {
  HttpBody,
  HttpCaller,
  HttpEndpoint,
  HttpHeaders,
  HttpRequest,
  HttpResponse,
} from '../../transports/http/server/exchange.js';
import type { HttpLimits } from '../../transports/http/server/limits.js';
import type { McpHttpEndpoint } from './endpoint.js';

export class DocumentEndpoint implements HttpEndpoint {
  readonly limits: HttpLimits;
  readonly #main: McpHttpEndpoint;
  readonly #documents: ReadonlyMap<string, JsonObject>;

  constructor(main: McpHttpEndpoint, documents: ReadonlyMap<string, JsonObject>) {
    this.#main = main;
    this.limits = main.limits;
    this.#documents = documents;
  }

  headersFor(request: HttpRequest): HttpHeaders {
    return this.#main.headersFor(request);
  }

  admit(request: HttpRequest, response: HttpResponse): Awaitable<HttpCaller | undefined> {
    const document = this.#documents.get(request.path);
    if (document === undefined) return this.#main.admit(request, response);
    if (!this.#main.admitPublic(request, response)) return undefined;
    const headers = this.headersFor(request);
    if (request.method !== 'GET') response.send(405, { ...headers, Allow: 'GET' });
    else response.send(200, { ...headers, 'Cache-Control': 'max-age=300' }, JSON.stringify(document));
    return undefined;
  }

  handle(request: HttpRequest, caller: HttpCaller, body: HttpBody, response: HttpResponse): Awaitable<void> {
    return this.#main.handle(request, caller, body, response);
  }
}
