import { type Requirement, table } from './requirement.js';

export const inputRequiredRequirements: readonly Requirement[] = table(
  'Multi round-trip requests',
  `
271 | 5 | must | server | mrtr | Input_required only on tools/call, prompts/get, resources/read | Scan others | Return input_required only from tools/call, prompts/get and resources/read.
272 | 5 | must | server | mrtr | Has inputRequests or requestState | Inspect | Return inputRequests or requestState.
273 | 5 | must | server | mrtr | inputRequests values are one of three methods, no jsonrpc/id | Inspect | Put elicitation/create, sampling/createMessage or roots/list into inputRequests, without envelope.
274 | 5 | must | server | mrtr | Only declared capabilities requested | Vary caps | Ask only for what this request's capabilities allow.
275 | 5 | must | server | mrtr | Tampered requestState rejected | Flip a byte | Protect requestState with a signature and refuse altered ones.
276 | 5 | should | server | mrtr | requestState of another principal/expired/other request rejected | Replay | Bind requestState to the request, the principal and an expiry.
277 | 5 | should | server | mrtr | Missing answer -> new input_required | Omit one key | Ask again for answers that are missing.
278 | 5 | should | server | mrtr | Extra keys ignored | Add key | Ignore answers to questions that you did not ask.
279 | 5 | should | server | mrtr | Malformed inputResponses -> error | Send string | Answer malformed inputResponses with an error.
280 | 5 | must | client | mrtr | All inputRequests answered before retry | Mock two | Answer all inputRequests before retrying.
281 | 5 | must | client | mrtr | requestState echoed exactly | Mock odd string | Send requestState back exactly as it came.
282 | 5 | must | client | mrtr | No requestState sent if none given | Mock | Send no requestState when there was none.
283 | 5 | must | client | mrtr | Retry id differs from original | Record | Use a new id for the retry.
284 | 5 | must | client | mrtr | State not leaked into parallel requests | Parallel calls | Keep state and answers with their own request.
285 | 5 | derived | client | mrtr | State-only result retried without answers | Mock | Retry a result that has only requestState without answers.
286 | 5 | derived | server | caching | No ttlMs/cacheScope on interim result | Resources/read asking input | Leave caching hints out of input_required results.
287 | 5 | derived | client | mrtr | Rounds bounded | Mock endless | Limit the number of rounds.
`,
);
