/** Pages of text beside an endpoint, such as `/metrics`: behind the same checks of host, origin and credentials. */

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

export class PageEndpoint implements HttpEndpoint {
  readonly limits: HttpLimits;
  readonly #main: McpHttpEndpoint;
  readonly #write: () => string;

  constructor(main: McpHttpEndpoint, write: () => string) {
    this.#main = main;
    this.limits = main.limits;
    this.#write = write;
  }

  headersFor(request: HttpRequest): HttpHeaders {
    return this.#main.headersFor(request);
  }

  admit(request: HttpRequest, response: HttpResponse): Awaitable<HttpCaller | undefined> {
    return this.#main.admitOnly(new Set(['GET']), request, response);
  }

  handle(request: HttpRequest, _caller: HttpCaller, _body: HttpBody, response: HttpResponse): void {
    response.send(
      200,
      { ...this.headersFor(request), 'Content-Type': 'text/plain; charset=utf-8' },
      this.#write(),
    );
  }
}
