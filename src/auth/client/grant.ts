/** A way to get a token, once it is known from whom and for what. */

import type { AuthHttp } from './auth-http.js';
import type { DpopKey } from './dpop.js';
import type { AuthorizationServer } from './server-metadata.js';
import type { TokenRecord } from './token-record.js';
import type { TokenStore } from './token-store.js';

export interface GrantRequest {
  readonly server: URL;
  readonly authorizationServer: AuthorizationServer;
  /** Byte by byte as the resource metadata writes it; undefined for servers from before it. */
  readonly resource: string | undefined;
  readonly scopes: readonly string[] | undefined;
  /** The key to bind the token to. */
  readonly dpop: DpopKey | undefined;
  readonly http: AuthHttp;
  readonly store: TokenStore;
}

export interface Grant {
  /** Whether a person takes part: then it is not done behind their back, and not twice after a failure. */
  readonly interactive: boolean;
  /** Whether `offline_access` is of use. */
  readonly refreshable: boolean;
  /** Which of the resource's authorization servers to use. */
  choose(authorizationServers: readonly string[], store: TokenStore): Promise<string>;
  obtain(request: GrantRequest): Promise<TokenRecord>;
  /** A new token for the refresh token of `record`. */
  refresh?(
    record: TokenRecord & { readonly refreshToken: string },
    request: GrantRequest,
  ): Promise<TokenRecord>;
  /** Makes tokens worthless at the authorization server, where it can do that. */
  revoke?(record: TokenRecord, request: GrantRequest): Promise<void>;
}
