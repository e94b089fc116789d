/** Mutations of a server that wants a token. */

import type { HttpAnswer, HttpMutation, HttpRequest, Mutation } from './harness.js';

const TOKEN = 'Bearer good-token';
const METADATA = '/.well-known/oauth-protected-resource/mcp';

interface Guard {
  readonly status?: number;
  readonly challenge?: (origin: string) => string | undefined;
  readonly metadata?: (origin: string) => object | undefined;
  /** Lets a request pass that should not. */
  readonly admits?: (request: HttpRequest) => boolean;
  readonly endpoints?: boolean;
}

/** The reference server behind a guard that is correct, unless it is told otherwise. */
function guarded(guard: Guard = {}): HttpMutation {
  return {
    request: (request): HttpRequest | HttpAnswer => {
      const origin = `http://${request.headers.host}`;
      if (request.path.startsWith('/.well-known')) return document(request.path, origin, guard);
      if (!request.path.startsWith('/mcp')) return { status: guard.endpoints === false ? 404 : 400 };
      if (request.headers.authorization === TOKEN || guard.admits?.(request) === true) {
        const { authorization: _, ...headers } = request.headers;
        return { ...request, headers };
      }
      const usual = `Bearer resource_metadata="${origin}${METADATA}", scope="read"`;
      const challenge = guard.challenge === undefined ? usual : guard.challenge(origin);
      return {
        status: guard.status ?? 401,
        ...(challenge === undefined ? {} : { headers: { 'www-authenticate': challenge } }),
      };
    },
  };
}

function document(path: string, origin: string, guard: Guard): HttpAnswer {
  const usual = { resource: `${origin}/mcp`, authorization_servers: [`${origin}/as`] };
  const body = guard.metadata === undefined ? usual : guard.metadata(origin);
  if (path !== METADATA || body === undefined) return { status: 404 };
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

const broken = (id: string, name: string, guard: Guard, revision?: number): Mutation => ({
  id,
  name,
  transport: 'http',
  headers: { authorization: TOKEN },
  http: guarded(guard),
  ...(revision === undefined ? {} : { revision }),
});

/** For the control: nothing is wrong with it. */
export const PROTECTED_CORRECTLY: Mutation = broken('343', 'nothing', {});

let requests = 0;

export const PROTECTED: readonly Mutation[] = [
  broken('343', 'a missing token is forbidden', { status: 403 }),
  broken('344', 'any token will do', { admits: ({ headers }) => headers.authorization !== undefined }),
  broken('225', 'a session needs no token', {
    // The first request without a token is refused, which shows that one is wanted.
    admits: ({ headers }) => {
      if (headers.authorization !== undefined) return false;
      requests += 1;
      return requests % 3 === 0;
    },
  }),
  broken('345', 'GET needs no token', { admits: ({ method }) => method === 'GET' }, 4),
  broken('346', 'the challenge names no metadata', { challenge: () => 'Bearer scope="read"' }, 3),
  broken('347', 'there is no metadata', {
    challenge: () => 'Bearer scope="read"',
    metadata: () => undefined,
  }),
  broken('348', 'the metadata names no authorization server', {
    metadata: (origin) => ({ resource: `${origin}/mcp`, authorization_servers: [] }),
  }),
  broken('349', 'the challenge names no scope', {
    challenge: (origin) => `Bearer resource_metadata="${origin}${METADATA}"`,
  }),
  broken('353', 'a token in the query will do', { admits: ({ path }) => path.includes('access_token=') }),
  broken('354', 'the challenge asks for offline_access', {
    challenge: (origin) => `Bearer resource_metadata="${origin}${METADATA}", scope="read offline_access"`,
  }),
  broken('356', 'there are no default endpoints', { metadata: () => undefined, endpoints: false }, 2),
  broken('357', 'tokens come over plain http', {
    metadata: (origin) => ({
      resource: `${origin}/mcp`,
      authorization_servers: ['http://login.example.com'],
    }),
  }),
];
