import { type Requirement, table } from './requirement.js';

export const runningRequirements: readonly Requirement[] = table(
  'Ping, cancellation, progress',
  `
081 | 1-4 | must | both | ping | Ping answered promptly with {} | Ping both ways, also while busy | Answer ping at once with an empty result, also while busy.
082 | 1-4 | must | both | cancellation | Cancelled names own in-flight request only | Record | Cancel only requests of your own that are still running.
083 | 1-4 | should | both | cancellation | Cancelled request is stopped and not answered | Cancel slow tool | Stop a cancelled request and send no response for it.
084 | 1-5 | should | both | cancellation | Late response after cancel ignored | Mock answers late | Ignore a response that arrives after you cancelled.
085 | 1-5 | should | both | cancellation | Cancelled with unknown/finished/malformed id ignored | Send garbage id | Ignore cancellations of unknown, finished or malformed ids.
086 | 5 | must | client | cancellation | Stdio: cancel by notifications/cancelled with requestId | Abort a call | Cancel over stdio with notifications/cancelled and the requestId.
087 | 5 | must | server | cancellation | Stdio: nothing more sent for a cancelled request | Cancel, watch for progress/response | Send nothing more for a request once it is cancelled.
088 | 5 | must | server | cancellation | HTTP: closed stream treated as cancel | Close, check tool's abort signal | Stop the work when the client closes the response stream. | whether the work behind a closed stream stopped is visible only inside the server
089 | 5 | must | server | cancellation | Server sends cancelled only for listen ids | Scan | Send notifications/cancelled only to end a subscription.
090 | 2-5 | should | both | lifecycle | Request timeout exists, is configurable, triggers cancel | Silent peer | Give requests a timeout that can be configured, and cancel when it passes. | timeouts are set by the application; no message tells a long timeout from a missing one
091 | 2-5 | should | both | lifecycle | Hard maximum despite progress | Peer that only sends progress | Keep a hard limit even while progress arrives. | the limit is set by the application, and may be longer than any test
092 | 1-5 | must | both | progress | progressToken string or integer, unique among active | Record | Use strings or integers as progress tokens, unique among running requests.
093 | 1-5 | must | both | progress | Progress only for supplied tokens | Call without token, expect none | Send progress only with a token that the request supplied.
094 | 1-5 | must | both | progress | Progress strictly increases | Collect values | Increase progress with every notification.
095 | 1-5 | must | both | progress | No progress after completion | Collect after response | Send no progress after the response.
096 | 5 | must | server | progress | Progress/log notifications ride the stream of their own request | Two parallel SSE calls | Send progress and logs on the stream of their own request.
`,
);
