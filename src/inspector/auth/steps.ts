/** The requests of an OAuth flow: which step each one is, what is expected of it, and whether that is what came. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { AuthStepKind } from '../api.js';

export interface AuthExchange {
  readonly method: string;
  readonly url: URL;
  readonly body: string | undefined;
}

export interface Answered {
  readonly status: number;
  header(name: string): string | undefined;
  readonly json: JsonObject | undefined;
}

interface Step {
  readonly title: string;
  readonly expected: string;
  /** Looked for in several places: a 404 at one of them is no failure. */
  readonly sought?: true;
  /** What is not as expected; nothing where all is well. */
  judge?(answer: Answered, request: AuthExchange, server: URL): readonly string[];
}

export function kindOf({ method, url, body = '' }: AuthExchange): AuthStepKind {
  if (url.pathname.includes('/.well-known/oauth-protected-resource')) return 'resource-metadata';
  if (/\/\.well-known\/(oauth-authorization-server|openid-configuration)/.test(url.pathname))
    return 'server-metadata';
  if (method !== 'POST') return 'other';
  if (body.startsWith('{')) return body.includes('"redirect_uris"') ? 'registration' : 'other';
  const form = new URLSearchParams(body);
  if (form.get('grant_type') === 'refresh_token') return 'refresh';
  if (form.has('grant_type')) return 'token';
  return form.has('token') ? 'revocation' : 'other';
}

export const STEPS: Readonly<Record<AuthStepKind, Step>> = {
  challenge: {
    title: 'The server refuses the request',
    expected:
      '401 with a WWW-Authenticate header of the scheme Bearer that names resource_metadata (RFC 9728)',
    judge: ({ status, header }) => [
      ...unless(status === 401 || status === 403, `the status is ${status}`),
      ...unless(
        /^\s*(bearer|dpop)\b/i.test(header('www-authenticate') ?? ''),
        'there is no Bearer challenge',
      ),
      ...unless(
        status === 403 || /resource_metadata=/i.test(header('www-authenticate') ?? ''),
        'the challenge does not say where the metadata is; the well-known places are tried',
      ),
    ],
  },
  'resource-metadata': {
    title: 'Protected resource metadata',
    sought: true,
    expected:
      '200 with a JSON object whose "resource" is the server and whose "authorization_servers" name at least one',
    judge: (answer, _request, server) => {
      if (answer.status !== 200 || answer.json === undefined) return notThere(answer);
      const { resource, authorization_servers: servers } = answer.json;
      return [
        ...unless(
          typeof resource === 'string' && covers(resource, server),
          `"resource" is ${JSON.stringify(resource)}`,
        ),
        ...unless(
          Array.isArray(servers) && servers.length > 0,
          '"authorization_servers" is empty or missing',
        ),
      ];
    },
  },
  'server-metadata': {
    title: 'Authorization server metadata',
    sought: true,
    expected: '200 with a JSON object that has an issuer, both endpoints and PKCE with S256',
    judge: (answer, { url }) => {
      if (answer.status !== 200 || answer.json === undefined) return notThere(answer);
      const {
        issuer,
        authorization_endpoint,
        token_endpoint,
        code_challenge_methods_supported: pkce,
      } = answer.json;
      return [
        ...unless(
          typeof issuer === 'string' && originOf(issuer) === url.origin,
          `"issuer" is ${JSON.stringify(issuer)}`,
        ),
        ...unless(typeof authorization_endpoint === 'string', '"authorization_endpoint" is missing'),
        ...unless(typeof token_endpoint === 'string', '"token_endpoint" is missing'),
        ...unless(
          Array.isArray(pkce) && pkce.includes('S256'),
          '"code_challenge_methods_supported" has no S256',
        ),
      ];
    },
  },
  registration: {
    title: 'Client registration',
    expected: '201 with a client_id (RFC 7591)',
    judge: ({ status, json }) => [
      ...unless(status === 201, `the status is ${status}`),
      ...unless(typeof json?.client_id === 'string', '"client_id" is missing'),
    ],
  },
  authorize: {
    title: 'The person logs in',
    expected:
      'response_type code, a state, a PKCE challenge with S256 and the resource (RFC 8707) in the address',
  },
  callback: {
    title: 'The person comes back',
    expected: 'a code and the same state; where the server announces it also iss (RFC 9207)',
  },
  token: {
    title: 'The code is exchanged for tokens',
    expected: '200 with access_token and token_type, and Cache-Control: no-store (RFC 6749)',
    judge: judgeTokens,
  },
  refresh: {
    title: 'The tokens are renewed',
    expected: '200 with an access_token; for public clients also a new refresh_token',
    judge: judgeTokens,
  },
  revocation: {
    title: 'The token is revoked',
    expected: '200 (RFC 7009)',
    judge: ({ status }) => unless(status === 200, `the status is ${status}`),
  },
  retry: {
    title: 'The request is sent again with the token',
    expected: 'anything but 401',
    judge: ({ status }) => unless(status !== 401, 'the server refuses the token'),
  },
  other: { title: 'Another request', expected: 'an answer' },
};

function judgeTokens(answer: Answered): readonly string[] {
  const { status, json, header } = answer;
  if (status !== 200) {
    const problem =
      json === undefined ? '' : `: ${[json.error, json.error_description].filter(isText).join(', ')}`;
    return [`the status is ${status}${problem}`];
  }
  return [
    ...unless(typeof json?.access_token === 'string', '"access_token" is missing'),
    ...unless(typeof json?.token_type === 'string', '"token_type" is missing'),
    ...unless(/no-store/i.test(header('cache-control') ?? ''), 'Cache-Control: no-store is missing'),
  ];
}

/** One of several places to look: that there is nothing is no mistake yet. */
function notThere({ status }: Answered): readonly string[] {
  return [
    status === 200 ? 'the body is not a JSON object' : `nothing there (${status}); the next place is tried`,
  ];
}

function unless(condition: boolean, note: string): readonly string[] {
  return condition ? [] : [note];
}

function covers(resource: string, server: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const url = new URL(resource);
  return url.origin === server.origin && server.pathname.startsWith(url.pathname.replace(/\/$/, ''));
}

function originOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function jsonOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
