/** What users pass as `connect(url, { auth })`: one function for each way to get a token. */

import type { Authorizer } from '../../transports/http/client/authorization.js';
import type { AuthHttpOptions } from './auth-http.js';
import { authorizationCode } from './authorization-code.js';
import { clientCredentialsGrant } from './client-credentials.js';
import type { RegisteredClient } from './client-identity.js';
import type { Grant } from './grant.js';
import { type Interaction, loopback } from './interaction.js';
import {
  type EnterpriseOptions,
  enterpriseGrant,
  type WorkloadOptions,
  workloadGrant,
} from './jwt-bearer.js';
import type { RegistrationOptions } from './registration.js';
import { ServerAuthorization } from './server-authorization.js';
import { createMemoryTokenStore, type TokenStore } from './token-store.js';

export interface CommonAuthOptions extends AuthHttpOptions {
  /** Where tokens and registrations are kept. Default: in memory. */
  readonly store?: TokenStore | undefined;
  /** Asked for instead of the scopes that the server suggests. */
  readonly scopes?: readonly string[] | undefined;
  /** Asked for instead of the resource that the server's metadata names (RFC 8707). */
  readonly resource?: string | undefined;
  /** Binds tokens to a key of ours also where the server does not ask for it. */
  readonly dpop?: boolean | undefined;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

export interface OAuthOptions extends CommonAuthOptions, RegistrationOptions {
  /**
   * How a person gets to the login. False: never opens a login page. Default: the browser of this machine.
   */
  readonly interaction?: Interaction | false | undefined;
  /** Whether to ask for `offline_access` where it is advertised, so that logins last. Default: true. */
  readonly offlineAccess?: boolean | undefined;
}

/** Credentials for any number of servers; each has its own tokens. */
export interface OAuth extends Authorizer {
  forServer(server: URL): ServerAuthorization;
  readonly asking: boolean;
}

/** A person logs in (authorization code with PKCE). */
export function oauth(options: OAuthOptions = {}): OAuth {
  const { interaction = loopback(), offlineAccess = true, ...rest } = options;
  return createOAuth(authorizationCode({ ...rest, interaction }), options, offlineAccess);
}

/** A program acts in its own name. */
export function clientCredentials(options: CommonAuthOptions & { readonly client: RegisteredClient }): OAuth {
  return createOAuth(clientCredentialsGrant(options.client), options, false);
}

/** A program acts in the name that its platform gives it (workload identity federation). */
export function workloadIdentity(options: CommonAuthOptions & WorkloadOptions): OAuth {
  return createOAuth(workloadGrant(options), options, false);
}

/** An employee acts with the permission of the enterprise's identity provider (ID-JAG). */
export function enterpriseManaged(options: CommonAuthOptions & EnterpriseOptions): OAuth {
  return createOAuth(enterpriseGrant(options), options, false);
}

function createOAuth(grant: Grant, options: CommonAuthOptions, offlineAccess: boolean): OAuth {
  const servers = new Map<string, ServerAuthorization>();
  const settings = {
    ...options,
    grant,
    offlineAccess,
    store: options.store ?? createMemoryTokenStore(),
    scopes: options.scopes,
    resource: options.resource,
    dpop: options.dpop ?? false,
    now: options.now ?? Date.now,
  };
  let asking = 0;
  return {
    get asking() {
      return asking > 0;
    },
    forServer: (server) => {
      const key = `${server.origin}${server.pathname}`;
      const known = servers.get(key);
      if (known !== undefined) return known;
      const onAsking = (begins: boolean): void => {
        asking += begins ? 1 : -1;
      };
      const created = new ServerAuthorization(server, { ...settings, onAsking });
      servers.set(key, created);
      return created;
    },
  };
}
