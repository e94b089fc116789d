import { type Requirement, table } from './requirement.js';

export const subscriptionsRequirements: readonly Requirement[] = table(
  'Subscriptions',
  `
288 | 5 | must | server | subscriptions | Acknowledged is first message of the subscription | Listen | Send the acknowledgement first.
289 | 5 | must | server | subscriptions | Nothing sent for a subscription before its ack | Change during open | Send nothing for a subscription before its acknowledgement.
290 | 5 | must | server | subscriptions | Ack lists only supported requested types | Request all | Acknowledge only supported types that were requested.
291 | 5 | must | server | subscriptions | Every listen notification has subscriptionId = request id (same type) | Ids "a" and 5 | Tag every notification with the id of the listen request, with its type.
292 | 5 | must | server | subscriptions | Only requested types delivered | Filter prompts, change tools | Deliver only types that were requested.
293 | 5 | should | server | subscriptions | List change delivered to matching streams | Change | Deliver changes to every stream that asked for them.
294 | 5 | must | server | subscriptions | Resources/updated only for listed uris | Change others | Send updates only for listed URIs.
295 | 5 | must | client | subscriptions | Stdio demultiplexes by subscriptionId | Two listens | Assign notifications to subscriptions by subscriptionId. | how a client routes notifications inside itself does not show on the wire
296 | 5 | should | server | subscriptions | Graceful end: result with resultType complete and subscriptionId | Shutdown server | End a subscription with a result that carries its subscriptionId.
297 | 5 | must | server | subscriptions | Client cancel stops notifications | Cancel/close then change | Send nothing after the client ended the subscription.
298 | 5 | must | server | subscriptions | No unsolicited list_changed outside listen | Change without listen | Send list_changed only on listen streams.
299 | 5 | derived | server | subscriptions | Concurrent listens each get own tagged copy | Two listens, one change | Send every matching subscription its own copy.
`,
);
