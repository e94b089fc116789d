/**
 * Where discovery may lead. Metadata comes from servers that may be hostile, and names URLs that we fetch: they must
 * be https (http on this machine only), and must not lead into a network that the server itself is not part of.
 */

import { type AddressKind, classifyAddress, classifyHost } from '../address.js';
import { AuthError } from './errors.js';

export type NetworkPlace = Exclude<AddressKind, 'name'>;

export interface NetworkPolicy {
  /** Throws for a URL that must not be fetched or shown, judged by its text. */
  assertUrl(url: URL, what: string): void;
  /** Whether an address that a name was resolved to may be connected to. */
  permits(address: string): boolean;
}

/** `home` is where the MCP server is; `anywhere` trusts the private network too. */
export function createNetworkPolicy(home: NetworkPlace, anywhere: boolean): NetworkPolicy {
  const permitsPlace = (place: NetworkPlace): boolean =>
    place === 'public' || anywhere || home === 'loopback' || (home === 'private' && place === 'private');
  return {
    permits: (address) => permitsPlace(classifyAddress(address)),
    assertUrl: (url, what) => {
      assertSecure(url, what);
      const place = classifyHost(url.hostname);
      if (place === 'name' || permitsPlace(place)) return;
      throw new AuthError(
        'auth_forbidden',
        `${what} leads to ${url.origin}, an address that is not on the internet, though the server is elsewhere; ` +
          'set allowPrivateNetwork if you trust it',
      );
    },
  };
}

/** Credentials and what leads to them travel over https, except within this machine. */
export function assertSecure(url: URL, what: string): void {
  const secure =
    url.protocol === 'https:' || (url.protocol === 'http:' && classifyHost(url.hostname) === 'loopback');
  if (!secure) {
    throw new AuthError(
      'auth_forbidden',
      `${what} must be an https URL, not ${url.protocol}//${url.host}; http is for loopback only`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new AuthError(
      'auth_forbidden',
      `${what} has credentials in it, on ${url.host}; that is not safe to use`,
    );
  }
}

export function parseUrl(text: string, what: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new AuthError(
    'auth_discovery_failed',
    `${what} is not a URL; report this to the operator of the server`,
  );
}
