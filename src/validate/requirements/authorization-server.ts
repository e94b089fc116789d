import { type Requirement, table } from './requirement.js';

export const authorizationServerRequirements: readonly Requirement[] = table(
  'Authorization, server',
  `
343 | 2-5 | must | server | auth | Protected request without token -> 401 | Call | Answer requests without a token with 401.
344 | 2-5 | must | server | auth | Expired/invalid token -> 401 | Call | Answer invalid tokens with 401.
345 | 4-5 | derived | server | auth | 401/403 also on GET and DELETE (the fourth revision) | Send without token | Check tokens on GET and DELETE too.
346 | 3 | must | server | auth | 401 has WWW-Authenticate with resource_metadata | Inspect | Name resource_metadata in WWW-Authenticate.
347 | 4-5 | must | server | auth | resource_metadata header or well-known PRM present | Fetch | Serve protected resource metadata and point to it.
348 | 3-5 | must | server | auth | PRM has authorization_servers non-empty | Fetch | List at least one authorization server.
349 | 4-5 | should | server | auth | 401 has scope | Inspect | Name the scopes in the challenge.
350 | 4-5 | should | server | auth | Insufficient scope -> 403 error="insufficient_scope" scope resource_metadata | Call | Answer insufficient scope with 403 and the scopes needed.
351 | 3-5 | must | server | auth | Token with foreign audience -> 401 | Mint token | Refuse tokens issued for other audiences.
352 | 3-5 | must | server | auth | Client token never sent upstream | Mock upstream | Never pass the client's token on. | what a server sends to others is not visible from outside
353 | 2-5 | derived | server | auth | Token in query string not accepted | Call | Refuse tokens in the query string.
354 | 5 | should | server | auth | No offline_access in challenge/PRM | Inspect | Leave offline_access out of challenges and metadata.
355 | 5 | must | server | auth | Scope hierarchy honoured | Broad scope token | Accept scopes that include the needed one.
356 | 2 | must | server | auth | No metadata -> /authorize /token /register at origin work | Probe | Serve /authorize, /token and /register at the origin when there is no metadata.
357 | 2-5 | must | server | auth | Auth endpoints over https; redirect URIs exact | Probe | Serve authorization endpoints over https.
410 | 2 | should | server | auth | Dynamic client registration is offered | Look for registration_endpoint, or /register | Offer dynamic client registration, so that clients need no setup.
`,
);
