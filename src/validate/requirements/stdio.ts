import { type Requirement, table } from './requirement.js';

export const stdioRequirements: readonly Requirement[] = table(
  'stdio',
  `
030 | 1-5 | must | both | stdio | One message per line, no raw newline inside | Check line framing with multi-line strings | Write each message as one line; JSON encoders escape newlines inside strings.
031 | 1-5 | must | server | stdio | Nothing but MCP messages on stdout | Parse every stdout line | Send logs to stderr; stdout carries messages and nothing else.
032 | 1-5 | must | client | stdio | Nothing but MCP messages on stdin | Fake server logs stdin | Write nothing but messages to the server's stdin.
033 | 2-5 | must | both | stdio | UTF-8 encoding | Send non-ASCII both ways, split inside a code point | Read and write UTF-8, and decode only after joining chunks.
034 | 4-5 | should | client | stdio | Stderr output not treated as failure | Server prints to stderr, session goes on | Treat stderr as a log, not as a sign of failure.
035 | 5 | should | server | stdio | Exits when stdin closes (derived in older revisions) | Close stdin, wait | Exit when stdin ends.
036 | 1-5 | should | client | shutdown | Shutdown: close stdin, wait, then terminate, then kill | Server ignoring EOF/SIGTERM | Close stdin, wait, then terminate, then kill.
037 | 1-5 | derived | both | stdio | Messages larger than a pipe buffer handled | 1 MB argument | Buffer until the newline instead of assuming that a message fits into one read.
038 | 5 | should | client | stdio | Restarts a crashed server, re-issues listen | Kill server | Start the server again when it crashes.
039 | 5 | must | client | subscriptions | After reconnect listen is sent again | Kill server, watch | Send subscriptions/listen again after a reconnect.
040 | 5 | should | client | compat | Dual-era client probes with server/discover first | Record first line | Send server/discover first when you speak both eras.
041 | 5 | must | client | compat | Fallback not tied to one error code | Servers answering -32601, -32602, -32000, silence, exit | Fall back to initialize on any error, on silence and on exit, not on one code only.
042 | 5 | must | client | compat | -32022 on probe keeps client modern | Mock -32022 with supported the fifth revision | Take -32022 for a modern server and choose from data.supported.
`,
);
