/** The authorization code grant with PKCE: a person logs in and agrees, and we get tokens in their name. */

import * as oauth from 'oauth4webapi';
import type { ClientIdentity, RegisteredClient } from './client-identity.js';
import { AuthError, describeOAuthFailure } from './errors.js';
import type { Grant, GrantRequest } from './grant.js';
import type { Interaction, Redirect } from './interaction.js';
import { parseUrl } from './network-policy.js';
import { clientFor, type RegistrationOptions, registeredRedirect, registrationKey } from './registration.js';
import { asksForOfflineAccess } from './scopes.js';
import { assertPkce } from './server-metadata.js';
import { callOptions, callTokenEndpoint, resourceAndScope } from './token-endpoint.js';
import type { TokenRecord } from './token-record.js';

export interface AuthorizationCodeOptions extends RegistrationOptions {
  /** False: no user is present; only stored tokens are used and renewed. */
  readonly interaction: Interaction | false;
}

export function authorizationCode(options: AuthorizationCodeOptions): Grant {
  return {
    interactive: true,
    refreshable: true,
    choose: async (servers) => chooseOwn(servers, options.client),
    obtain: (request) => login(request, options),
    refresh: (record, request) => refresh(record, request, options),
    revoke: (record, request) => revoke(record, request, options),
  };
}

/** The one that the client is registered with, otherwise the server's first choice. */
export function chooseOwn(servers: readonly string[], client: RegisteredClient | undefined): string {
  const own = client === undefined || client.issuer === 'discovered' ? undefined : client.issuer;
  const chosen = own !== undefined && servers.includes(own) ? own : servers[0];
  if (chosen === undefined)
    throw new AuthError('auth_discovery_failed', 'The server names no authorization server');
  return chosen;
}

async function login(request: GrantRequest, options: AuthorizationCodeOptions): Promise<TokenRecord> {
  const { authorizationServer, server, store } = request;
  assertPkce(authorizationServer);
  if (options.interaction === false) {
    throw new AuthError(
      'login_required',
      `${server.origin} requires a login; run: plumb login ${server.href}`,
    );
  }
  const redirect = await options.interaction.open(
    await registeredRedirect(authorizationServer.issuer, store),
  );
  let succeeded = false;
  try {
    const record = await loginVia(redirect, request, options);
    succeeded = true;
    return record;
  } finally {
    await redirect.close?.(succeeded);
  }
}

async function loginVia(
  redirect: Redirect,
  request: GrantRequest,
  options: AuthorizationCodeOptions,
): Promise<TokenRecord> {
  const { authorizationServer, http, store } = request;
  const identity = await clientFor(authorizationServer, redirect.redirectUri, options, store, http);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const url = authorizationUrl(request, identity, redirect.redirectUri, state, challenge);
  const answer = await redirect.authorize({
    url,
    server: request.server,
    issuer: authorizationServer.issuer,
  });
  const parameters = judgeAnswer(answer, request, identity, state);
  const code = parameters.get('code') ?? undefined;
  try {
    return await callTokenEndpoint(
      { request, identity, what: 'The login', secrets: [verifier, code] },
      () =>
        oauth.authorizationCodeGrantRequest(
          authorizationServer.metadata,
          identity.client,
          identity.authentication,
          parameters,
          redirect.redirectUri,
          verifier,
          { ...callOptions(request), additionalParameters: resourceAndScope(request, undefined) },
        ),
      (response) =>
        oauth.processAuthorizationCodeResponse(authorizationServer.metadata, identity.client, response),
    );
  } catch (error) {
    // An authorization server that forgot us will know us again after the next registration.
    if (error instanceof AuthError && error.oauthError === 'invalid_client') {
      await store.set(registrationKey(authorizationServer.issuer), undefined);
    }
    throw error;
  }
}

function authorizationUrl(
  { authorizationServer, resource, scopes, http }: GrantRequest,
  { client }: ClientIdentity,
  redirectUri: string,
  state: string,
  challenge: string,
): URL {
  const { issuer, metadata } = authorizationServer;
  const what = 'The authorization endpoint';
  if (metadata.authorization_endpoint === undefined) {
    throw new AuthError(
      'auth_discovery_failed',
      `${issuer} has no authorization endpoint; a login there is not possible`,
    );
  }
  const url = parseUrl(metadata.authorization_endpoint, what);
  // It is going to be opened in a browser: nothing but a web page, and none inside someone's network.
  http.policy.assertUrl(url, what);
  const parameters: Record<string, string> = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state,
    ...(resource === undefined ? {} : { resource }),
    ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
    // OpenID Connect Core, 11: offline access is granted after explicit consent only.
    ...(asksForOfflineAccess(scopes) ? { prompt: 'consent' } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** Issuer (RFC 9207) and state are judged before anything else in the answer is looked at. */
function judgeAnswer(
  answer: URL,
  request: GrantRequest,
  { client }: ClientIdentity,
  state: string,
): URLSearchParams {
  const { metadata, issuer } = request.authorizationServer;
  try {
    return oauth.validateAuthResponse(metadata, client, answer, state);
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied') {
      throw new AuthError(
        'login_cancelled',
        `Access was not granted at ${issuer}; log in again to allow it`,
        {
          oauthError: 'access_denied',
        },
      );
    }
    const secrets = [answer.searchParams.get('code') ?? undefined, state];
    throw describeOAuthFailure(
      'authorization_failed',
      `The answer of ${issuer} to the login was not accepted`,
      error,
      secrets,
    );
  }
}

async function refresh(
  record: TokenRecord & { readonly refreshToken: string },
  request: GrantRequest,
  options: AuthorizationCodeOptions,
): Promise<TokenRecord> {
  const { authorizationServer, http, store } = request;
  const { metadata, issuer } = authorizationServer;
  // A refresh token is sent only to its issuer.
  if (record.issuer !== issuer) {
    throw new AuthError(
      'auth_forbidden',
      `A refresh token of ${record.issuer} must not be sent to ${issuer}`,
    );
  }
  const identity = await clientFor(authorizationServer, undefined, options, store, http);
  if (identity.client.client_id !== record.clientId) {
    throw new AuthError('login_required', 'The stored token was issued to another client; log in again');
  }
  return callTokenEndpoint(
    {
      request,
      identity,
      what: 'The renewal of the token',
      secrets: [record.refreshToken, record.accessToken],
      requested: record.requested,
      previous: record,
    },
    () =>
      oauth.refreshTokenGrantRequest(
        metadata,
        identity.client,
        identity.authentication,
        record.refreshToken,
        { ...callOptions(request), additionalParameters: resourceAndScope(request, undefined) },
      ),
    (response) => oauth.processRefreshTokenResponse(metadata, identity.client, response),
  );
}

async function revoke(
  record: TokenRecord,
  request: GrantRequest,
  options: AuthorizationCodeOptions,
): Promise<void> {
  const { authorizationServer, http, store } = request;
  const { metadata, issuer } = authorizationServer;
  if (metadata.revocation_endpoint === undefined) return;
  const { client, authentication, secrets } = await clientFor(
    authorizationServer,
    undefined,
    options,
    store,
    http,
  );
  // Revoking the refresh token ends the access tokens with it where the server can; some need both.
  for (const token of [record.refreshToken, record.accessToken]) {
    if (token === undefined) continue;
    try {
      const response = await oauth.revocationRequest(metadata, client, authentication, token, http.library);
      await oauth.processRevocationResponse(response);
    } catch (error) {
      throw describeOAuthFailure('token_refused', `${issuer} did not revoke the token`, error, [
        ...secrets,
        token,
      ]);
    }
  }
}
