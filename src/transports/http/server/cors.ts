/** CORS, for pages of configured origins. Loaded where there are any. */

import type { HttpHeaders, HttpRequest } from './exchange.js';

export interface Cors {
  /** Headers of every answer. */
  headers(request: HttpRequest): HttpHeaders;
  preflight(request: HttpRequest, methods: string): HttpHeaders;
}

const EXPOSED = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After';
const ACCEPTED =
  'Content-Type, Accept, Authorization, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';

export function createCors(origins: ReadonlySet<string>): Cors {
  const headersFor = (request: HttpRequest): HttpHeaders => {
    const origin = request.header('origin');
    if (origin === undefined || !origins.has(origin)) return { Vary: 'Origin' };
    return {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': EXPOSED,
      Vary: 'Origin',
    };
  };
  return {
    headers: headersFor,
    preflight: (request, methods) => {
      const headers = headersFor(request);
      if (headers['Access-Control-Allow-Origin'] === undefined) return headers;
      return {
        ...headers,
        'Access-Control-Allow-Methods': methods,
        'Access-Control-Allow-Headers': acceptedHeaders(request.header('access-control-request-headers')),
        'Access-Control-Max-Age': '600',
      };
    },
  };
}

/** Custom `Mcp-Param-*` headers are allowed as the page asks for them; others are not. */
function acceptedHeaders(requested: string | undefined): string {
  const custom = (requested ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => /^mcp-param-[\w!#$%&'*+.^`|~-]+$/i.test(name));
  return [ACCEPTED, ...custom].join(', ');
}
