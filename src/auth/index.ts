/** OAuth 2.1 for both sides: `oauth()` and its relatives for clients, `bearer()` for servers. */
export type { Authorizer } from '../transports/http/client/authorization.js';
export { AuthError } from './client/errors.js';
export { createFileTokenStore } from './client/file-token-store.js';
export { type Interaction, loopback } from './client/interaction.js';
export { clientCredentials, enterpriseManaged, type OAuth, oauth, workloadIdentity } from './client/oauth.js';
export { createSharedTokenStore } from './client/shared-token-store.js';
export { createMemoryTokenStore, type TokenStore } from './client/token-store.js';
export { bearer } from './resource/bearer.js';
export { TokenRejected } from './resource/verifier.js';
