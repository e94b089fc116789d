import { type Requirement, table } from './requirement.js';

export const httpHandshakeRequirements: readonly Requirement[] = table(
  'HTTP, handshake era',
  `
191 | 1 | must | server | sse | SSE GET first event is 'endpoint' with a URI | Connect | Send the endpoint event first.
192 | 1 | must | client | sse | All messages POSTed to that URI | Record | POST every message to the URI of the endpoint event.
193 | 1 | must | server | sse | Server messages as 'message' events | Inspect | Send messages as events named message.
194 | 1-5 | must | server | origin | Origin validated | Evil Origin -> reject | Reject requests with an Origin that you do not allow.
195 | 4-5 | must | server | origin | Invalid Origin -> 403 | Same, check status | Answer an Origin that you do not allow with 403.
196 | 1-5 | should | server | origin | Local server binds loopback only | Inspect listening address | Bind local servers to the loopback interface.
197 | 2-5 | must | server | http | Single endpoint path for POST (and GET in the second to fourth revision) | Probe | Serve one path for every HTTP method of the transport.
198 | 2-5 | must | client | http | POST per message; Accept lists application/json and text/event-stream | Record | POST each message with Accept: application/json, text/event-stream.
199 | 2-4 | must | client | http | GET Accept lists text/event-stream | Record | Open the GET stream with Accept: text/event-stream.
200 | 2-4 | must | server | http | Notification/response POST -> 202 without body | Send | Answer accepted notifications and responses with 202 and no body.
201 | 2-4 | must | server | http | Refused notification -> HTTP error status | Send malformed | Answer notifications that you refuse with an error status.
202 | 2-5 | must | server | http | Request POST -> application/json or text/event-stream | Check header | Answer requests with application/json or text/event-stream.
203 | 2-5 | must | client | http | Client handles both forms | Two mock servers | Read both JSON and event stream answers.
204 | 2-5 | derived | client | http | SSE parsing: LF/CR/CRLF, multi-line data, comments, BOM, chunk splits | Mock odd framing | Use a complete SSE parser: all line ends, comments, multi-line data.
205 | 2-4 | must | server | http | GET -> SSE or 405 | GET | Answer GET with an event stream or with 405.
206 | 2-4 | must | server | http | No response on GET stream unless resuming | Watch GET while calling | Send no responses on the GET stream.
207 | 2-4 | must | server | http | Each message on one stream only | Two GET/POST streams, compare | Send each message on one stream only.
208 | 2-4 | should | server | http | SSE stream ends after response | Measure | End the stream after the response.
209 | 2-4 | should | server | http | Disconnect is not cancellation | Drop POST stream, check tool finishes | Go on working when the connection drops; only notifications/cancelled cancels.
210 | 2-4 | must | server | session | Session id only 0x21-0x7E | Regex | Use visible ASCII in session ids.
211 | 2-4 | must | client | session | Session id sent on all later requests incl. GET/DELETE | Record | Send the session id with every later request.
212 | 2-4 | should | server | session | Missing session id -> 400 | Omit | Answer requests without the required session id with 400.
213 | 2-4 | must | server | session | Terminated session -> 404 | DELETE then call | Answer requests of a terminated session with 404.
214 | 2-4 | must | client | session | 404 with session -> new initialize without session id | Mock | After 404 start a new session with initialize.
215 | 2-4 | should | client | session | DELETE on close | Record | DELETE the session when you are done.
216 | 2-4 | derived | server | session | DELETE supported or 405 | DELETE | Answer DELETE with a success or 405.
217 | 3-4 | must | client | version-header | MCP-Protocol-Version on all requests after initialize | Record | Send MCP-Protocol-Version with every request after initialize.
218 | 3-4 | derived | server | version-header | initialize accepted without MCP-Protocol-Version header | POST initialize without it | Accept initialize without MCP-Protocol-Version.
219 | 3-4 | must | server | version-header | Unsupported/invalid header value -> 400 | Send a version of 1999 | Answer an unknown MCP-Protocol-Version with 400.
220 | 3-4 | should | server | version-header | Absent header -> treated as the second revision (not refused) | Omit | Accept requests without MCP-Protocol-Version.
221 | 2-4 | must | server | resume | Event ids unique within session | Collect | Use each event id once per session.
222 | 2-4 | must | server | resume | Replay only events of the interrupted stream | Two streams, resume one | Replay only the events of the stream that was interrupted.
223 | 2-4 | should | client | resume | Resume with GET + Last-Event-ID | Drop stream | Resume with GET and Last-Event-ID.
224 | 2-4 | must | server | security | Session not accepted as authentication | Session of user A with token of user B | Do not take a session id for a proof of identity. | needs the credentials of two different users
225 | 2-5 | must | server | security | Auth verified on every request, not only at session start | Drop header mid-session | Check the credentials of every request.
226 | 2-4 | should | server | security | Session ids random | Collect, entropy check | Create session ids with a secure random generator.
227 | 4 | should | server | resume | Priming event: id with empty data first | Inspect stream | Open streams with an event that has an id and empty data.
228 | 2-3 | derived | server | resume | No empty-data priming event to the second and third revision clients | Negotiate the third revision, inspect | Withhold priming events from clients of older revisions.
229 | 4 | derived | client | resume | Empty data event not parsed as message | Mock | Skip events with empty data.
230 | 4 | must | client | resume | Retry value respected before reconnect | Mock retry 500 | Wait as long as retry says before reconnecting.
231 | 4 | should | server | resume | Retry sent before closing early | Inspect | Send retry before closing a stream early.
232 | 4 | should | client | resume | POST stream resumed via GET | Mock early close, response on GET | Resume a dropped POST stream with GET.
233 | 2-4 | should | client | compat-sse | Falls back to HTTP+SSE on 4xx (the fourth revision: 400/404/405) | Mock the first revision server | Fall back to HTTP+SSE when initialize is answered with 4xx.
`,
);
