import { type Requirement, table } from './requirement.js';

export const utilitiesRequirements: readonly Requirement[] = table(
  'Completion, pagination, logging',
  `
138 | 2-5 | must | server | completion | Completions capability declared if supported | Compare | Declare the completions capability.
139 | 1-5 | must | server | completion | At most 100 completion values | Request with many matches | Return at most 100 values and say hasMore.
140 | 2-5 | should | server | completion | Bad ref -> -32602; unsupported -> -32601 | Call | Answer unknown references with -32602.
141 | 3-5 | should | client | completion | Earlier arguments sent in context.arguments | Record two-step completion | Send the arguments already resolved in context.arguments.
142 | 1-5 | must | client | pagination | Cursor echoed unchanged | Mock odd cursor | Send the cursor back exactly as it came.
143 | 1-5 | must | client | pagination | No assumption of page size | Mock pages 1,5,0 | Follow nextCursor whatever the size of a page.
144 | 1-5 | should | client | pagination | Missing nextCursor ends paging | Mock | Stop paging when nextCursor is missing.
145 | 5 | must | client | pagination | Empty-string cursor is not the end | Mock nextCursor "" | Treat an empty cursor as a cursor; only a missing one is the end.
146 | 1-5 | should | server | pagination | Bad cursor -> -32602 | Send junk | Answer cursors that you did not issue with -32602.
147 | 1-4 | must | client | pagination | Cursor not kept across sessions | Reconnect, record | Forget cursors when the session ends.
148 | 1-5 | must | server | logging | Logging capability declared if logs sent | Compare | Declare the logging capability.
149 | 1-4 | derived | server | logging | After setLevel only that level or worse | Set error, trigger info | After logging/setLevel send only messages of that level or worse.
150 | 1-4 | should | server | logging | Bad level -> -32602 | SetLevel "loud" | Answer unknown levels with -32602.
151 | 1-5 | must | server | logging | Log level from the 8 names, data present | Schema check | Use one of the eight level names and include data.
152 | 5 | must | server | logging | No log notification without logLevel in the request | Call logging tool without it | Send log messages only for requests that carry logLevel.
153 | 5 | must | server | logging | Logs not on listen streams or other requests' streams | Open listen, call with logLevel | Send log messages only on the stream of the request that asked for them.
154 | 5 | should | server | logging | Bad logLevel -> -32602 | Send "loud" | Answer an unknown logLevel with -32602.
`,
);
