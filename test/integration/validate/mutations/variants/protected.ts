/** Variants: servers that want a token, given as the documentation shows it. */

import type { HttpAnswer, HttpRequest, Mutation } from '../harness.js';
import { m } from './pieces.js';

const TOKEN = 'Bearer good-token-1234';
const PLACE = '/.well-known/oauth-protected-resource/mcp';

interface Door {
  /** Lets a request pass that should not. */
  readonly admits?: (request: HttpRequest) => boolean;
  readonly status?: (request: HttpRequest) => number;
  readonly challenge?: (origin: string, request: HttpRequest) => string | undefined;
  readonly metadata?: (origin: string) => unknown;
}

function callOf(request: HttpRequest): string {
  return /"method":"([^"]+)"/.exec(request.body)?.[1] ?? '';
}

function guarded({ admits, status, challenge, metadata }: Door) {
  return (request: HttpRequest): HttpRequest | HttpAnswer => {
    const origin = `http://${request.headers.host}`;
    if (request.path.startsWith('/.well-known')) {
      const usual = { resource: `${origin}/mcp`, authorization_servers: [`${origin}/as`] };
      const body = metadata === undefined ? usual : metadata(origin);
      if (request.path !== PLACE || body === undefined) return { status: 404 };
      return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    }
    if (!request.path.startsWith('/mcp')) return { status: 404 };
    if (request.headers.authorization === TOKEN || admits?.(request) === true) {
      const { authorization: _, ...headers } = request.headers;
      return { ...request, headers };
    }
    const usual = `Bearer resource_metadata="${origin}${PLACE}", scope="read"`;
    const given = challenge === undefined ? usual : challenge(origin, request);
    return {
      status: status?.(request) ?? 401,
      ...(given === undefined ? {} : { headers: { 'www-authenticate': given } }),
    };
  };
}

const door = (id: string, name: string, options: Door, revision = 5): Mutation =>
  m(id, name, {
    transport: 'http',
    revision,
    headers: { Authorization: TOKEN },
    http: { request: guarded(options) },
  });

const bare = ({ headers }: HttpRequest): boolean => headers.authorization === undefined;

export const PROTECTED_VARIANTS: readonly Mutation[] = [
  door('343', 'tools/list needs no token', {
    admits: (request) => bare(request) && callOf(request) === 'tools/list',
  }),
  door('343', 'no request needs a token', { admits: bare }),
  door(
    '343',
    'initialize needs no token',
    { admits: (request) => bare(request) && callOf(request) === 'initialize' },
    4,
  ),
  door('343', 'a missing token gets 400', { status: () => 400 }, 3),
  door('343', 'a missing token gets 403', { status: (request) => (bare(request) ? 403 : 401) }, 2),
  door('344', 'a made-up token will do', {
    admits: ({ headers }) => headers.authorization?.startsWith('Bearer plumb') === true,
  }),
  door('344', 'another scheme will do', {
    admits: ({ headers }) => headers.authorization?.startsWith('Basic') === true,
  }),
  door(
    '344',
    'an unsigned JWT will do',
    { admits: ({ headers }) => /^Bearer ey.*\.$/.test(headers.authorization ?? '') },
    4,
  ),
  door(
    '344',
    'only the beginning of a token is compared',
    { admits: ({ headers }) => headers.authorization?.startsWith(TOKEN.slice(0, -5)) === true },
    3,
  ),
  door('344', 'an invalid token gets 403', { status: (request) => (bare(request) ? 401 : 403) }),
  door('345', 'DELETE needs no token', { admits: ({ method }) => method === 'DELETE' }, 4),
  door('345', 'GET takes any token', { admits: (request) => request.method === 'GET' && !bare(request) }, 4),
  door(
    '225',
    'a session needs no token',
    { admits: (request) => bare(request) && request.headers['mcp-session-id'] !== undefined },
    4,
  ),
  door('225', 'pings need no token', { admits: (request) => bare(request) && callOf(request) === 'ping' }, 3),
  door('353', 'the token may stand in the query', {
    admits: ({ path }) => path.includes(`access_token=${TOKEN.slice(7)}`),
  }),
  door(
    '353',
    'the token may stand in the query, under another name',
    { admits: ({ path }) => path.includes(`?token=${TOKEN.slice(7)}`) },
    3,
  ),
  door('346', 'there is no challenge', { challenge: () => undefined }, 3),
  door(
    '346',
    'the challenge is of another scheme',
    { challenge: (origin) => `Basic resource_metadata="${origin}${PLACE}"` },
    3,
  ),
  door('347', 'the metadata is no object', { metadata: () => [], challenge: () => 'Bearer' }, 4),
  door('347', 'the challenge leads to nothing', { metadata: () => undefined }),
  door('348', 'the servers are a text', {
    metadata: (origin) => ({ resource: `${origin}/mcp`, authorization_servers: `${origin}/as` }),
  }),
  door('348', 'the servers are missing', { metadata: (origin) => ({ resource: `${origin}/mcp` }) }, 3),
  door(
    '348',
    'a server is no URL',
    { metadata: (origin) => ({ resource: `${origin}/mcp`, authorization_servers: ['as'] }) },
    4,
  ),
  door('349', 'only later challenges name a scope', { challenge: () => 'Bearer' }, 4),
  door('354', 'the metadata lists offline_access', {
    metadata: (origin) => ({
      resource: `${origin}/mcp`,
      authorization_servers: [`${origin}/as`],
      scopes_supported: ['read', 'offline_access'],
    }),
  }),
  door(
    '357',
    'a server over plain http',
    {
      metadata: (origin) => ({
        resource: `${origin}/mcp`,
        authorization_servers: ['http://login.example.com/'],
      }),
    },
    3,
  ),
  door('410', 'nobody can register', { metadata: () => undefined, challenge: () => 'Bearer' }, 2),
];
