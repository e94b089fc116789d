import { type Requirement, table } from './requirement.js';

export const baseRequirements: readonly Requirement[] = table(
  'JSON-RPC',
  `
001 | 1-5 | must | both | messages | Every message has jsonrpc "2.0" | Validate all captured traffic | Put "jsonrpc": "2.0" into every message.
002 | 1-5 | must | both | messages | Request id is string or integer, never null | Schema check; send id null, expect -32600 or drop | Use a string or an integer as request id, and answer a null id with -32600.
003 | 1-4 | must | both | messages | Request id never reused by sender within session | Record ids over a long run | Take a new id for every request of the session, for example from a counter.
004 | 5 | must | client | messages | Request id not equal to any own in-flight id | Parallel calls, compare ids | Do not start a request with the id of one that is still running.
005 | 1-5 | must | both | messages | Response carries the id of its request (type preserved) | Send id "7" and 7, compare type | Copy the id of the request into its response unchanged, with its type.
006 | 1-5 | must | both | messages | Response has exactly one of result/error | Schema check | Answer with a result or with an error, never with both and never with neither.
007 | 1-5 | must | both | messages | error.code integer, error.message present | Provoke errors, check types | Give every error an integer code and a message.
008 | 1-5 | must | both | messages | Notifications have no id and get no response | Send unknown notification, expect silence/202 | Send notifications without an id, and do not answer the notifications of others.
009 | 1-5 | derived | both | messages | Unknown method -> -32601 | Call 'foo/bar' | Answer methods that you do not know with -32601.
010 | 1-5 | derived | server | messages | Invalid params -> -32602 | tools/call without name | Check params before use and answer bad ones with -32602.
011 | 1-5 | derived | server | messages | Unparsable JSON -> -32700 | Send '{' | Answer text that is no JSON with -32700, and go on reading.
012 | 1-5 | derived | server | messages | Structurally bad request -> -32600 | Send '{"jsonrpc":"2.0","id":1}' | Answer objects that are no request with -32600.
013 | 4-5 | must | both | schema | Error without id only when the id was unreadable | Send readable bad request, expect id echoed | Repeat the id in the error whenever it could be read.
014 | 2 | must | both | messages | Accepts JSON-RPC batches | Send [ping,ping], expect two answers | Accept an array of messages and answer each request in it.
015 | 2 | must | both | lifecycle | initialize is never in a batch | Send batched initialize, expect error; client never sends it | Refuse initialize inside a batch, and never send it in one.
016 | 2 | must | server | messages | Batch of only notifications -> no response body (HTTP 202) | POST [notif] | Answer a batch of notifications with nothing at all (202 over HTTP).
017 | 3-5 | must | both | messages | No batches sent; array input refused | Send array, expect error; scan client output | Refuse arrays: batches were removed in this revision.
018 | 1-5 | derived | both | schema | Unknown fields in known objects tolerated | Add 'x:1' to params/results | Ignore fields that you do not know instead of refusing the message.
019 | 3-5 | must | both | meta | '_meta' keys follow prefix/name grammar | Regex all emitted keys | Name _meta keys by the grammar: optional dotted prefix and slash, then a name.
020 | 3-5 | must | both | meta | No own keys under reserved MCP prefixes | List emitted keys against known set | Keep your own _meta keys out of the prefixes reserved for MCP.
021 | 5 | must | both | errors | Only defined codes emitted in -32020..-32099 | Collect error codes | Emit only codes that the specification defines between -32020 and -32099.
022 | 5 | should | both | errors | Own error codes outside -32768..-32000 | Collect | Choose error codes of your own outside -32768..-32000.
023 | 5 | must | server | errors | -32002 and -32042 not emitted | Collect error codes | Use -32602 instead of -32002, and an input_required result instead of -32042.
024 | 5 | should | client | errors | -32002 accepted as resource-not-found from old servers | Mock legacy server | Treat -32002 from an older server as "resource not found". | how an application treats an error that it received is not visible on the wire
025 | 5 | must | server | base5 | Every result has resultType | Check all results | Add "resultType" to every result.
026 | 5 | must | client | base5 | Absent resultType treated as complete | Mock server omits it | Read a result without resultType as complete.
027 | 5 | must | client | base5 | Unknown resultType treated as invalid | Mock returns "weird" | Reject a result whose resultType you do not know.
028 | 5 | must | server | base5 | Server never sends JSON-RPC requests | Scan server output | Return an input_required result instead of sending a request to the client.
029 | 5 | must | client | base5 | Client never sends JSON-RPC responses | Scan client output | Do not send responses: in this revision only servers answer.
`,
);
