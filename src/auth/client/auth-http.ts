/** Requests to authorization servers and for metadata: judged by the policy, bounded in time, without our headers. */

import * as oauth from 'oauth4webapi';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { type Duration, milliseconds } from '../../protocol/duration.js';
import { isNode } from '../../protocol/runtime.js';
import { classifyHost } from '../address.js';
import { createNetworkPolicy, type NetworkPlace, type NetworkPolicy } from './network-policy.js';

export interface AuthHttpOptions {
  /** Used instead of the runtime's own; addresses of names are then not judged. */
  readonly fetch?: typeof fetch | undefined;
  /** True lets a public server name authorization servers in private networks. Default: false. */
  readonly allowPrivateNetwork?: boolean | undefined;
  /** How long one request may take. Default: 10 s. */
  readonly requestTimeout?: Duration | undefined;
  /** Observes the requests; they are checked and sent as usual. */
  readonly tap?: ((send: AuthSend) => AuthSend) | undefined;
}

/** For every call of the OAuth library. Http is ours to judge: the policy refuses it off loopback. */
export interface LibraryOptions {
  [oauth.customFetch]: (url: string, init: oauth.CustomFetchOptions<string, Body>) => Promise<Response>;
  [oauth.allowInsecureRequests]: boolean;
}

export interface AuthHttp {
  readonly policy: NetworkPolicy;
  readonly library: LibraryOptions;
  /** A JSON object at this URL; undefined when there is none. */
  document(url: URL, what: string, headers?: Record<string, string>): Promise<JsonObject | undefined>;
}

type Body = URLSearchParams | string | undefined;

export interface AuthSendInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: Body;
  readonly signal: AbortSignal;
}

export type AuthSend = (url: string, init: AuthSendInit) => Promise<Response>;

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;

export async function openAuthHttp(server: URL, options: AuthHttpOptions): Promise<AuthHttp> {
  const { place, send } = await openSender(server, options);
  const policy = createNetworkPolicy(place, options.allowPrivateNetwork === true);
  const request = options.tap?.(send(policy)) ?? send(policy);
  const timeoutMs = milliseconds(options.requestTimeout ?? DEFAULT_TIMEOUT_MS);

  const get = async (
    url: URL,
    what: string,
    headers: Record<string, string>,
  ): Promise<Response | undefined> => {
    let target = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      policy.assertUrl(target, what);
      const response = await request(target.href, {
        method: 'GET',
        headers: { accept: 'application/json', ...headers },
        signal: AbortSignal.timeout(timeoutMs),
      });
      const location =
        response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
      if (location === null || !URL.canParse(location, target.href)) return response;
      const next = new URL(location, target);
      // The document must come from the address that was requested.
      if (next.origin !== target.origin) return undefined;
      target = next;
    }
    return undefined;
  };

  return {
    policy,
    library: {
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (url, { method, headers, body }) => {
        policy.assertUrl(new URL(url), 'An endpoint of the authorization server');
        return request(url, {
          method,
          headers,
          body: body ?? undefined,
          signal: AbortSignal.timeout(timeoutMs),
        });
      },
    },
    document: async (url, what, headers = {}) => {
      const response = await get(url, what, headers);
      if (response === undefined || response.status !== 200) return undefined;
      const value: unknown = await response.json().catch(() => undefined);
      return isRecord(value) ? value : undefined;
    },
  };
}

interface Sender {
  readonly place: NetworkPlace;
  send(policy: NetworkPolicy): AuthSend;
}

async function openSender(server: URL, { fetch }: AuthHttpOptions): Promise<Sender> {
  if (fetch === undefined && isNode()) {
    const { createGuardedFetch, locate } = await import('./node-fetch.js');
    return {
      place: await locate(server.hostname),
      send: (policy) => createGuardedFetch((address) => policy.permits(address)),
    };
  }
  const place = classifyHost(server.hostname);
  const use = fetch ?? globalThis.fetch;
  return {
    place: place === 'name' ? 'public' : place,
    send: () => (url, init) =>
      use(url, {
        method: init.method,
        headers: init.headers,
        signal: init.signal,
        redirect: 'manual',
        body: init.body ?? null,
      }),
  };
}
