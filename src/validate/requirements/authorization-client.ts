import { type Requirement, table } from './requirement.js';

export const authorizationClientRequirements: readonly Requirement[] = table(
  'Authorization, client',
  `
358 | 2-5 | must | client | auth | Authorization: Bearer on every HTTP request | Record | Send Authorization: Bearer with every request.
359 | 2-5 | must | client | auth | Token never in URI | Record | Keep tokens out of URIs.
360 | 3-5 | must | client | auth | WWW-Authenticate parsed, resource_metadata used | Custom PRM path | Read resource_metadata from WWW-Authenticate.
361 | 4-5 | must | client | auth | Fallback path PRM then root PRM | No header | Look for metadata at the path, then at the root.
362 | 4-5 | must | client | auth-discovery | AS metadata order: oauth path, oidc path-insert, oidc append | Log requests | Try the metadata documents in the order of the specification.
363 | 2 | must | client | auth | Metadata at origin root, then default endpoints | 404 mock; the endpoints only of a client that goes on to log in | Look for metadata at the origin, then use the default endpoints.
364 | 5 | must | client | auth-discovery | Issuer mismatch in metadata -> abort | Mock | Stop when the issuer in the metadata differs.
365 | 3-5 | derived | client | auth | PRM resource mismatch -> abort (RFC 9728) | Mock | Stop when the resource in the metadata is another one.
366 | 2-5 | must | client | auth | PKCE used | Inspect | Use PKCE.
367 | 4-5 | must | client | auth | S256; absent code_challenge_methods_supported -> refuse | Mock | Use S256, and refuse servers that do not announce it.
368 | 3-5 | must | client | auth | Resource in authorize and token requests, canonical, no fragment | Inspect | Send the resource parameter.
369 | 4-5 | should | client | auth-registration | Registration order pre-registered, CIMD, DCR | Mock AS variants | Prefer pre-registration, then metadata documents, then dynamic registration. | which registrations and documents a client already has is not visible from outside
370 | 4-5 | must | client | auth-registration | CIMD client_id equals document URL, https, has path | Fetch | Use an https URL with a path as client_id and serve the document there.
371 | 5 | must | client | auth-registration | DCR has application_type | Inspect | Send application_type when registering.
372 | 5 | must | client | auth-registration | Credentials not reused at another issuer; re-register | Change PRM AS | Keep credentials apart by issuer.
373 | 5 | must | client | auth-security | iss table honoured incl. no normalisation | Six variants | Check iss in the authorization response exactly.
374 | 5 | must | client | auth-security | Error response with bad iss not acted on | Mock | Do not act on an error response with a wrong iss. | what a client shows or does after an error response is not visible from outside
375 | 4-5 | should | client | auth | Scope: challenge, else scopes_supported, else omitted | Three mocks | Take the scope of the challenge, else scopes_supported.
376 | 4-5 | should | client | auth | 403 step-up with bounded retries | Mock repeated 403 | Ask for more scope after 403, a limited number of times.
377 | 5 | should | client | auth | Step-up requests union of scopes | Inspect | Ask for the union of the old and the new scopes.
378 | 3-5 | should | client | auth-security | State verified | Tamper | Send and check state.
379 | 2-5 | must | client | auth | Redirect URI localhost or https | Inspect | Use a redirect URI on localhost or https.
380 | 2-5 | must | client | auth-security | Only http(s) authorization URLs opened, no shell | Javascript: URL | Open only http(s) URLs, without a shell. | what an application opens on the user's screen is not visible from outside
381 | 5 | derived | client | auth | Offline_access only if AS lists it | Inspect | Ask for offline_access only where the authorization server lists it.
411 | 2 | should | client | auth | MCP-Protocol-Version sent while metadata is discovered | Record | Send MCP-Protocol-Version with requests for metadata.
`,
);
