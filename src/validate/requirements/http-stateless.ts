import { type Requirement, table } from './requirement.js';

export const httpStatelessRequirements: readonly Requirement[] = table(
  'HTTP, stateless era',
  `
234 | 5 | derived | client | http | POST only; no GET/DELETE, no session header | Record | Use POST only, without session ids.
235 | 5 | should | server | http | GET/DELETE -> 405 on modern-only server | Send | Answer GET and DELETE with 405.
236 | 5 | should | server | http | Session id and Last-Event-ID ignored, none minted | Send header, inspect response | Ignore session ids and Last-Event-ID, and issue none.
237 | 5 | must | server | http | Unknown method -> 404 with -32601 body | Call | Answer unknown methods with 404 and -32601.
238 | 5 | must | server | http | Unsupported version -> 400 with -32022 | Send | Answer unsupported versions with 400 and -32022.
239 | 5 | must | server | headers | Header/_meta version mismatch -> 400 -32020 | Send | Answer a header that contradicts _meta with 400 and -32020.
240 | 5 | must | server | headers | Missing MCP-Protocol-Version -> 400 -32020 (unless serving older) | Omit | Answer a missing MCP-Protocol-Version with 400 and -32020.
241 | 5 | must | server | http | Notification accepted -> 202 empty | Send | Answer accepted notifications with 202 and no body.
242 | 5 | derived | server | http | Batch or response body refused | Send | Refuse arrays and responses.
243 | 5 | must | server | http | SSE carries only related notifications then the response | Inspect | Send only notifications of the request on its stream, then the response.
244 | 5 | should | server | http | Stream ends with the response | Measure | End the stream with the response.
245 | 5 | should | server | http | X-Accel-Buffering: no on SSE | Header | Send X-Accel-Buffering: no with event streams.
246 | 5 | must | client | http | Comment lines ignored | Mock ':' lines | Skip comment lines.
247 | 5 | must | client | http | Lost stream -> re-issue with new id | Drop stream | Send a lost request again with a new id.
248 | 5 | derived | client | http | Works without event ids; never sends Last-Event-ID | Record | Do not rely on event ids, and never send Last-Event-ID.
249 | 5 | must | server | http | Error responses echo request id | Provoke each error | Repeat the request id in error responses.
`,
);
