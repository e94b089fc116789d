/**
 * `fetch` for discovery on Node that judges the address of a connection at the moment it is made. A check before the
 * request would not do: a name can resolve to a public address for the check and to a private one for the request.
 */

import { lookup as resolve } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { BodyBytes } from '../../transports/http/body-bytes.js';
import { proxyFor, TunnelAgent } from '../../transports/http/client/node-proxy.js';
import { classifyAddress, classifyHost } from '../address.js';
import type { NetworkPlace } from './network-policy.js';

export type SimpleFetch = (url: string, init: FetchInit) => Promise<Response>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

const MAX_BODY_BYTES = 1024 * 1024;
/** Statuses whose responses have no body. */
const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** Redirects are not followed: the caller decides about them. */
export function createGuardedFetch(permits: (address: string) => boolean): SimpleFetch {
  return (text, init) =>
    new Promise((done, failed) => {
      const url = new URL(text);
      // Only https is sent through proxies: nothing of a login may be read there.
      const proxy = url.protocol === 'https:' ? proxyFor(url) : undefined;
      const body = init.body === undefined || init.body === null ? undefined : String(init.body);
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const outgoing = send(url, {
        method: init.method,
        headers: {
          ...init.headers,
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
        // A proxy resolves the name itself; addresses that were written out are judged before.
        ...(proxy === undefined ? { lookup: guardedLookup(permits) } : {}),
        // One request, one connection: none of them is worth keeping.
        agent: proxy === undefined ? false : new TunnelAgent(proxy),
        ...(init.signal === undefined ? {} : { signal: init.signal }),
      });
      outgoing.on('error', failed);
      outgoing.on('response', (incoming) => {
        read(incoming).then((content) => done(toResponse(incoming, content)), failed);
      });
      outgoing.end(body);
    });
}

function guardedLookup(permits: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      const refused = addresses.find(({ address }) => !permits(address));
      const [first] = addresses;
      if (refused !== undefined || first === undefined) {
        return callback(new Error(`${hostname} resolves to an address that is not on the internet`), '', 0);
      }
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

async function read(incoming: IncomingMessage): Promise<Buffer> {
  const body = new BodyBytes();
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk);
    if (body.length + bytes.length > MAX_BODY_BYTES) {
      incoming.destroy();
      throw new Error(`the answer is larger than ${MAX_BODY_BYTES} bytes`);
    }
    body.add(bytes);
  }
  return Buffer.from(body.take());
}

function toResponse(incoming: IncomingMessage, content: Buffer): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const item of [value ?? []].flat()) headers.append(name, item);
  }
  const status = incoming.statusCode ?? 500;
  return new Response(BODILESS.has(status) ? null : new Uint8Array(content), { status, headers });
}

/** Where a host is, with the help of the resolver. Unknown names count as public: nothing is allowed for them. */
export async function locate(hostname: string): Promise<NetworkPlace> {
  const place = classifyHost(hostname);
  if (place !== 'name') return place;
  return new Promise((done) => {
    resolve(hostname, { all: true }, (error, addresses) => {
      if (error !== null) return done('public');
      const places = addresses.map(({ address }) => classifyAddress(address));
      done(places.find((found) => found !== 'public') ?? 'public');
    });
  });
}
