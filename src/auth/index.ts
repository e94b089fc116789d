/** OAuth 2.1 for both sides: `oauth()` and its relatives for clients, `bearer()` for servers. */
export type { AuthInfo } from '../protocol/authorization.js';
export type { Authorizer } from '../transports/http/client/authorization.js';
export { AuthError } from './client/errors.js';
export { fileTokenStore } from './client/file-token-store.js';
export { type Interaction, type Login, loopback } from './client/interaction.js';
export {
  clientCredentials,
  enterpriseManaged,
  type OAuth,
  type OAuthOptions,
  oauth,
  workloadIdentity,
} from './client/oauth.js';
export { sharedTokenStore } from './client/shared-token-store.js';
export { memoryTokenStore, type TokenStore } from './client/token-store.js';
export { type BearerOptions, bearer } from './resource/bearer.js';
export { TokenRejected } from './resource/verifier.js';
