import { type Requirement, table } from './requirement.js';

/** What an implementation may do and need not: shown, never scored. Ids from 501 on. */
export const optionRequirements: readonly Requirement[] = table(
  'Options',
  `
501 | 1-5 | may | server | lifecycle | Instructions for the model come with the capabilities | Read initialize, or server/discover | Add instructions when the tools alone do not explain how to use the server.
502 | 1-5 | may | server | pagination | Lists come in pages | List everything | Split long lists into pages with nextCursor.
503 | 1-5 | may | server | tools | Changes of lists are announced (listChanged) | Read the capabilities | Declare listChanged where lists change at runtime.
504 | 1-4 | may | server | resources | Resources can be subscribed to | Read the capabilities | Declare resources.subscribe where contents change.
505 | 1-5 | may | server | progress | Progress is reported to callers that ask for it | Call tools with a token | Report progress of tools that take long.
506 | 1-5 | may | server | logging | Log messages are sent to clients | Call tools at level debug | Send log messages that help the user of the client.
507 | 2-5 | may | server | completion | Arguments of prompts and templates are completed | Read the capabilities | Offer completion where arguments have known values.
508 | 2-4 | may | server | session | A session id is issued | Look at the answer to initialize | Issue a session id when state belongs to a client.
509 | 2-4 | may | server | http | GET opens a stream for messages of the server | GET | Offer the stream when the server has something to say by itself.
510 | 2-4 | may | server | session | Clients can end their session with DELETE | DELETE | Accept DELETE, so that sessions do not pile up.
511 | 2-5 | may | server | http | Requests are answered with an event stream | Look at answers | Stream answers that have progress or questions before them.
512 | 2-4 | may | server | resume | Events carry ids, so that streams can be resumed | Look at streams | Add event ids where a lost answer is expensive.
513 | 4 | may | server | resume | Streams name the time to wait before a reconnect (retry) | Look at streams | Send retry before closing a stream early.
514 | 2 | may | server | messages | Answers to a batch come in a batch | Send a batch | Either form is right.
515 | 1-4 | may | server | ping | The server pings its clients | Watch | Ping clients of long sessions.
516 | 1-4 | may | server | lifecycle | The server asks its client (sampling, roots, elicitation) | Call tools | Ask where the user or the model knows better.
517 | 5 | may | server | mrtr | A call asks for input (input_required) | Call tools | Ask where the user or the model knows better.
518 | 5 | may | server | version-header | A request without MCP-Protocol-Version is taken for one of the second revision | Omit the header | Allowed for servers that serve clients of that time.
519 | 5 | may | server | headers | Tool arguments are repeated in headers (x-mcp-header) | List tools | Annotate arguments that gateways route by.
520 | 4-5 | may | server | icons | Icons are given | Look at lists and serverInfo | Add icons for clients that show them.
521 | 4-5 | may | server | origin | A refused Origin gets a JSON-RPC error without id | Send a foreign Origin | A body helps whoever debugs it.
522 | 4 | may | server | tasks | Tools can be called as tasks | Read the capabilities | Offer tasks for tools that take minutes.
523 | 2-5 | may | server | tools | Annotations say what tools do | List tools | Annotate tools, so that clients know which ones change something.
524 | 3-5 | may | server | tools | Tools declare the schema of their results | List tools | Declare outputSchema for results that programs read.
525 | 5 | may | client | discover | The client asks for server/discover | Record | Ask when the capabilities matter before the first call.
526 | 2-4 | may | client | http | The client opens a stream with GET | Record | Open it to hear what the server says by itself.
527 | 1-5 | may | client | progress | Requests carry a progress token | Record | Send a token where progress is shown.
528 | 5 | may | client | logging | Requests ask for log messages (logLevel) | Record | Send logLevel where log messages are shown.
529 | 1-4 | may | client | logging | The client chooses the level of log messages | Record | Send logging/setLevel where log messages are shown.
`,
);
