/** How the client of the suite gets its tokens: by the grant that the scenario is about, and without a person. */

/** @type {typeof import('plumb-mcp/auth')} */
const auth = await import(new URL('../dist/auth/index.js', import.meta.url).href);

/** @typedef {import('plumb-mcp/auth').OAuth} OAuth */
/** @typedef {import('plumb-mcp/auth').Interaction} Interaction */
/** @typedef {Partial<Record<string, string>>} Credentials */

/** The mock's login page sends whoever opens it straight back. */
/** @type {Interaction} */
const interaction = {
  open: () => ({
    redirectUri: 'http://localhost:3000/callback',
    authorize: async ({ url }) => {
      const response = await fetch(url, { redirect: 'manual' });
      return new URL(response.headers.get('location') ?? '', url);
    },
  }),
};

const clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
/** The suite tells no issuer; its mock is trusted. */
const issuer = 'discovered';

/** @type {Record<string, (context: Credentials) => OAuth>} */
const grants = {
  'auth/pre-registration': ({ client_id = '', client_secret = '' }) =>
    auth.oauth({ interaction, client: { id: client_id, secret: client_secret, issuer } }),
  'auth/client-credentials-basic': ({ client_id = '', client_secret = '' }) =>
    auth.clientCredentials({ client: { id: client_id, secret: client_secret, issuer } }),
  'auth/client-credentials-jwt': ({ client_id = '', private_key_pem = '', signing_algorithm = 'ES256' }) =>
    auth.clientCredentials({
      client: { id: client_id, issuer, privateKey: { key: private_key_pem, algorithm: signing_algorithm } },
    }),
  'auth/enterprise-managed-authorization': enterprise,
  'auth/cross-app-access-complete-flow': enterprise,
  'auth/wif-jwt-bearer': ({ client_id, valid_jwt = '' }) =>
    auth.workloadIdentity({
      issuer,
      assertion: () => valid_jwt,
      ...(client_id === undefined ? {} : { clientId: client_id }),
    }),
};

/** @param {Credentials} context */
function enterprise(context) {
  return auth.enterpriseManaged({
    client: { id: context.client_id ?? '', secret: context.client_secret ?? '', issuer },
    identityProvider: {
      issuer: context.idp_issuer ?? '',
      tokenEndpoint: context.idp_token_endpoint ?? '',
      clientId: context.idp_client_id ?? '',
      idToken: () => context.idp_id_token ?? '',
    },
  });
}

/**
 * @param {string} scenario
 * @param {Credentials} context
 * @returns {OAuth | undefined} undefined for scenarios without authorization
 */
export function authFor(scenario, context) {
  if (!scenario.startsWith('auth/')) return undefined;
  return grants[scenario]?.(context) ?? auth.oauth({ interaction, clientMetadataUrl });
}

/** @param {import('plumb-mcp/client').Client} client */
export async function useProtectedServer(client) {
  await client.tools.list();
  await client.tools.call('test-tool');
}
