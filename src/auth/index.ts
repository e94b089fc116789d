/** OAuth 2.1 for both sides: `oauth()` and its relatives for clients, `bearer()` for servers. */
export type { AuthInfo } from '../protocol/authorization.js';
export { type BearerOptions, bearer } from './resource/bearer.js';
export type { IntrospectionOptions } from './resource/introspection.js';
export { TokenRejected } from './resource/verifier.js';
