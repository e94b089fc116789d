/** OAuth 2.1 for both sides: `oauth()` and its relatives for clients, `bearer()` for servers. */
export type { AuthInfo } from '../protocol/authorization.js';
export type { Authorizer, HttpAuthorization } from '../transports/http/client/authorization.js';
export type { ClientAuthMethod, ClientKey, RegisteredClient } from './client/client-identity.js';
export { AuthError, type AuthErrorCode } from './client/errors.js';
export { type FileTokenStoreOptions, fileTokenStore } from './client/file-token-store.js';
export {
  type Interaction,
  type Login,
  type LoopbackOptions,
  loopback,
  type Redirect,
} from './client/interaction.js';
export type { EnterpriseOptions, WorkloadOptions } from './client/jwt-bearer.js';
export {
  type CommonAuthOptions,
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
export type { IntrospectionOptions } from './resource/introspection.js';
export { TokenRejected } from './resource/verifier.js';
