/**
 * Grants that hand in an assertion of someone else (RFC 7523): the identity of a workload, as its platform attests it,
 * and the enterprise's permission to use an application (ID-JAG), which its identity provider gives for an ID token.
 */

import * as oauth from 'oauth4webapi';
import type { Awaitable } from '../../protocol/awaitable.js';
import { chooseOwn } from './authorization-code.js';
import { type ClientIdentity, identify, type RegisteredClient } from './client-identity.js';
import { AuthError, describeOAuthFailure } from './errors.js';
import type { Grant, GrantRequest } from './grant.js';
import { parseUrl } from './network-policy.js';
import { assertOwnIssuer } from './registration.js';
import { callOptions, callTokenEndpoint, resourceAndScope } from './token-endpoint.js';
import type { TokenRecord } from './token-record.js';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';

export interface WorkloadOptions {
  /** The authorization server that the platform's tokens are for; only it gets them. */
  readonly issuer: string | 'discovered';
  /** The platform's current token (a file of Kubernetes, a metadata service, ...), asked for before each use. */
  readonly assertion: () => Awaitable<string>;
  /** The client that the workload is registered as. */
  readonly clientId?: string | undefined;
}

export function workloadGrant({ issuer, assertion, clientId }: WorkloadOptions): Grant {
  const client: RegisteredClient = { id: clientId ?? 'workload', issuer };
  return {
    interactive: false,
    refreshable: false,
    choose: async (servers) => chooseOwn(servers, client),
    obtain: async (request) => {
      await assertOwnIssuer(client, request.authorizationServer.issuer, request.store);
      const identity =
        clientId === undefined
          ? anonymous(client)
          : await identify(client, request.authorizationServer.metadata);
      return exchangeAssertion(await assertion(), request, identity, 'The token request of this workload');
    },
  };
}

/** The assertion says who is asking; there is no client besides (RFC 7521, 4.1). */
function anonymous({ id }: RegisteredClient): ClientIdentity {
  return { client: { client_id: id }, authentication: () => undefined, secrets: [] };
}

export interface EnterpriseOptions {
  /** The client at the server's own authorization server. */
  readonly client: RegisteredClient;
  /** The identity provider of the company, where the person is logged in. */
  readonly identityProvider: {
    readonly issuer: string;
    readonly tokenEndpoint: string;
    readonly clientId: string;
    readonly clientSecret?: string | undefined;
    /** The ID token of the user's single sign-on, asked for before each use. */
    readonly idToken: () => Awaitable<string>;
  };
}

export function enterpriseGrant({ client, identityProvider }: EnterpriseOptions): Grant {
  return {
    interactive: false,
    refreshable: false,
    choose: async (servers) => chooseOwn(servers, client),
    obtain: async (request) => {
      const { authorizationServer } = request;
      // Before the identity provider is asked: it would vouch for the user to any issuer that the server
      // names.
      await assertOwnIssuer(client, authorizationServer.issuer, request.store);
      const permission = await requestPermission(identityProvider, request);
      const identity = await identify(client, authorizationServer.metadata);
      return exchangeAssertion(permission, request, identity, 'The permission of your identity provider');
    },
  };
}

/** Token exchange (RFC 8693) at the identity provider: the ID token for a permission that only that server can use. */
async function requestPermission(
  provider: EnterpriseOptions['identityProvider'],
  request: GrantRequest,
): Promise<string> {
  const { issuer, tokenEndpoint, clientId, clientSecret } = provider;
  const metadata: oauth.AuthorizationServer = {
    issuer,
    token_endpoint: parseUrl(tokenEndpoint, 'identityProvider.tokenEndpoint').href,
  };
  const client = { client_id: clientId };
  const authentication = clientSecret === undefined ? oauth.None() : oauth.ClientSecretPost(clientSecret);
  const subjectToken = await provider.idToken();
  const parameters = {
    requested_token_type: ID_JAG,
    audience: request.authorizationServer.issuer,
    subject_token: subjectToken,
    subject_token_type: ID_TOKEN,
    ...resourceAndScope(request, request.scopes),
  };
  try {
    const response = await oauth.genericTokenEndpointRequest(
      metadata,
      client,
      authentication,
      TOKEN_EXCHANGE,
      parameters,
      request.http.library,
    );
    // The answer is no token to use anywhere, and says so with this type (RFC 8693, 2.2.1).
    const recognizedTokenTypes = { n_a: () => undefined };
    const answer = await oauth.processGenericTokenEndpointResponse(metadata, client, response, {
      recognizedTokenTypes,
    });
    if (answer.issued_token_type === ID_JAG) return answer.access_token;
  } catch (error) {
    throw describeOAuthFailure(
      'token_refused',
      `${issuer} did not issue an ID-JAG for ${request.server.origin}`,
      error,
      [subjectToken, clientSecret],
    );
  }
  throw new AuthError(
    'token_refused',
    `${issuer} answered with a token that is not an ID-JAG; check its configuration`,
  );
}

function exchangeAssertion(
  assertion: string,
  request: GrantRequest,
  identity: ClientIdentity,
  what: string,
): Promise<TokenRecord> {
  const { metadata } = request.authorizationServer;
  const parameters = { assertion, ...resourceAndScope(request, request.scopes) };
  return callTokenEndpoint(
    { request, identity, what, secrets: [assertion] },
    () =>
      oauth.genericTokenEndpointRequest(
        metadata,
        identity.client,
        identity.authentication,
        JWT_BEARER,
        parameters,
        callOptions(request),
      ),
    (response) => oauth.processGenericTokenEndpointResponse(metadata, identity.client, response),
  );
}
