/** A real authorization server: oidc-provider with registration, resource indicators, rotation and revocation. */

import type { Server } from 'node:http';
import { Provider } from 'oidc-provider';
import { freePort } from './free-port.js';

export interface OidcProvider {
  readonly issuer: string;
  /** Grants that the token endpoint gave, in order. */
  readonly granted: string[];
  readonly refused: string[];
  /** Seconds that the next access tokens live. */
  lifetime: number;
  /** Takes back everything that a user allowed. */
  revokeGrants(): Promise<void>;
  close(): Promise<void>;
}

/** May ask for tokens without a user; the tokens of the second one have expired when they are issued. */
export const MACHINE = { client_id: 'machine', client_secret: 'machine-secret' };
export const LATE_MACHINE = { client_id: 'late-machine', client_secret: 'late-machine-secret' };
const LATE_SECONDS = -3600;

export async function startOidcProvider(scopes: readonly string[]): Promise<OidcProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const state = { lifetime: 3600 };
  const granted: string[] = [];
  const refused: string[] = [];
  const grantIds = new Set<string>();
  const provider = new Provider(issuer, {
    scopes: ['openid', 'offline_access', ...scopes],
    pkce: { required: () => true, methods: ['S256'] },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    cookies: { keys: ['test'] },
    clients: [MACHINE, LATE_MACHINE].map((machine) => ({
      ...machine,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      introspection: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, resource, client) => ({
          scope: scopes.join(' '),
          audience: resource,
          accessTokenTTL: client.clientId === LATE_MACHINE.client_id ? LATE_SECONDS : state.lifetime,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  provider.on('grant.success', ({ oidc }) => {
    granted.push(String(oidc.params?.grant_type));
    if (oidc.entities.Grant?.jti !== undefined) grantIds.add(oidc.entities.Grant.jti);
  });
  provider.on('grant.error', (_ctx, error) => refused.push(error.message));
  const server: Server = await new Promise((resolve) => {
    const listening = provider.listen(port, '127.0.0.1', () => resolve(listening));
  });
  return Object.assign(state, {
    issuer,
    granted,
    refused,
    revokeGrants: async () => {
      for (const id of grantIds) await (await provider.Grant.find(id))?.destroy();
    },
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}
