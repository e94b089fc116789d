/** Where the store is: one Redis, or the members of a cluster. */

import { StoreError } from './errors.js';

export interface RedisAddress {
  /** Addresses for a client each; several belong to one cluster. */
  readonly urls: readonly string[];
  readonly isCluster: boolean;
}

const EXAMPLE = 'redis://127.0.0.1:6379, or redis+cluster://10.0.0.1:6379,10.0.0.2:6379 for a cluster';

/**
 * `redis://host`, `rediss://host` with TLS, and `redis+cluster://[user:password@]host:port,host:port,...` for a
 * cluster, of which some members are enough: they name the others.
 */
export function parseAddress(text: string): RedisAddress {
  const match = /^(rediss?)(\+cluster)?:\/\/(?:([^@]*)@)?(.+)$/.exec(text);
  if (match === null) throw refused();
  const [, scheme = '', cluster, credentials, rest = ''] = match;
  if (cluster === undefined) {
    if (!URL.canParse(text)) throw refused();
    return { urls: [text], isCluster: false };
  }
  const user = credentials === undefined ? '' : `${credentials}@`;
  const urls = rest
    .replace(/\/$/, '')
    .split(',')
    .map((host) => `${scheme}://${user}${host}`);
  if (rest.replace(/\/$/, '').includes('/') || !urls.every((url) => URL.canParse(url))) throw refused();
  return { urls, isCluster: true };
}

function refused(): StoreError {
  return new StoreError('store_unavailable', `A store on Redis has an address such as ${EXAMPLE}`);
}

/** The same credentials and transport at another member. */
export function memberUrl(url: string, host: string, port: number): string {
  const member = new URL(url);
  member.hostname = host.includes(':') ? `[${host}]` : host;
  member.port = `${port}`;
  return member.href;
}

export function withoutSecrets(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
