/** Requests to a token endpoint, and what becomes of their answers. */

import type * as oauth from 'oauth4webapi';
import type { LibraryOptions } from './auth-http.js';
import type { ClientIdentity } from './client-identity.js';
import { withNonceRetry } from './dpop.js';
import { AuthError, describeOAuthFailure } from './errors.js';
import type { GrantRequest } from './grant.js';
import { type TokenRecord, toRecord } from './token-record.js';

export interface TokenCall {
  readonly request: GrantRequest;
  readonly identity: ClientIdentity;
  /** For messages: "The login", "The renewal of the token". */
  readonly what: string;
  readonly secrets?: readonly (string | undefined)[];
  readonly requested?: readonly string[] | undefined;
  readonly previous?: TokenRecord;
}

/** Options of the library for one call: how to send it, and the proof of our key where there is one. */
export function callOptions({ http, dpop }: GrantRequest): LibraryOptions & oauth.DPoPRequestOptions {
  return { ...http.library, ...(dpop === undefined ? {} : { DPoP: dpop.handle }) };
}

export function resourceAndScope(
  { resource }: GrantRequest,
  scopes: readonly string[] | undefined,
): Record<string, string> {
  return {
    ...(resource === undefined ? {} : { resource }),
    ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
  };
}

/** Sends (twice where a nonce is asked for), judges the answer, and makes a record of it. */
export async function callTokenEndpoint(
  call: TokenCall,
  send: () => Promise<Response>,
  process: (response: Response) => Promise<oauth.TokenEndpointResponse>,
): Promise<TokenRecord> {
  const { request, identity, what } = call;
  const { issuer } = request.authorizationServer;
  let response: oauth.TokenEndpointResponse;
  try {
    response = await withNonceRetry(async () => process(await send()));
  } catch (error) {
    const secrets = [...identity.secrets, ...(call.secrets ?? [])];
    throw describeOAuthFailure('token_refused', `${what} was refused by ${issuer}`, error, secrets);
  }
  if (request.dpop !== undefined && response.token_type !== 'dpop') {
    throw new AuthError(
      'token_refused',
      `${issuer} did not bind the token to our key, which the server needs; its token was not used`,
    );
  }
  const origin = {
    issuer,
    resource: request.resource,
    clientId: identity.client.client_id,
    requested: call.requested ?? request.scopes,
    dpopKey: request.dpop?.jwk,
    now: Date.now(),
  };
  return toRecord(response, origin, call.previous);
}
