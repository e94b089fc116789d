/** Machines that act in their own name: the client credentials grant, with a secret or a signed assertion. */

import * as oauth from 'oauth4webapi';
import { chooseOwn } from './authorization-code.js';
import { identify, type RegisteredClient } from './client-identity.js';
import type { Grant } from './grant.js';
import { assertOwnIssuer } from './registration.js';
import { callOptions, callTokenEndpoint, resourceAndScope } from './token-endpoint.js';

export function clientCredentialsGrant(client: RegisteredClient): Grant {
  return {
    interactive: false,
    refreshable: false,
    choose: async (servers) => chooseOwn(servers, client),
    obtain: async (request) => {
      const { authorizationServer, scopes } = request;
      const { metadata } = authorizationServer;
      await assertOwnIssuer(client, authorizationServer.issuer, request.store);
      const identity = await identify(client, metadata);
      const parameters = resourceAndScope(request, scopes);
      return callTokenEndpoint(
        { request, identity, what: `The token request of client ${JSON.stringify(client.id)}` },
        () =>
          oauth.clientCredentialsGrantRequest(
            metadata,
            identity.client,
            identity.authentication,
            parameters,
            callOptions(request),
          ),
        (response) => oauth.processClientCredentialsResponse(metadata, identity.client, response),
      );
    },
  };
}
