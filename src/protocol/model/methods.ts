/**
 * Every method of any revision with its params and result, by direction. Which of them a revision has is the
 * revision's to say. Params whose fields are all optional may be missing on the wire until 2025-11-25.
 * A result is the final one: `InputRequiredResult` and `CreateTaskResult` can precede it.
 */

import type { EmptyParams, NotificationParams, PaginatedParams, Result } from './base.js';
import type { CompleteParams, CompleteResult } from './completion.js';
import type { ElicitationCompleteParams, ElicitParams, ElicitResult } from './elicitation.js';
import type { InputResponseParams } from './input-required.js';
import type { DiscoverResult, InitializeParams, InitializeResult } from './lifecycle.js';
import type { LogMessageParams, SetLevelParams } from './logging.js';
import type { CancelledParams, ProgressParams, ResourceUpdatedParams } from './notifications.js';
import type { GetPromptParams, GetPromptResult, ListPromptsResult } from './prompts.js';
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceParams,
  ReadResourceResult,
  SubscribeParams,
  UnsubscribeParams,
} from './resources.js';
import type { ListRootsParams, ListRootsResult } from './roots.js';
import type { CreateMessageParams, CreateMessageResult } from './sampling.js';
import type { ListenParams, ListenResult, SubscriptionsAcknowledgedParams } from './subscriptions.js';
import type {
  ListTasksResult,
  TaskParams,
  TaskPayloadResult,
  TaskResult,
  TaskStatusParams,
} from './tasks.js';
import type { CallToolParams, CallToolResult, ListToolsResult } from './tools.js';

/** Requests that a client sends. */
export interface ClientRequests extends TaskRequests {
  initialize: { params: InitializeParams; result: InitializeResult };
  ping: { params: EmptyParams; result: Result };
  'server/discover': { params: EmptyParams; result: DiscoverResult };
  'tools/list': { params: PaginatedParams; result: ListToolsResult };
  'tools/call': { params: CallToolParams & InputResponseParams; result: CallToolResult };
  'resources/list': { params: PaginatedParams; result: ListResourcesResult };
  'resources/templates/list': { params: PaginatedParams; result: ListResourceTemplatesResult };
  'resources/read': { params: ReadResourceParams & InputResponseParams; result: ReadResourceResult };
  'resources/subscribe': { params: SubscribeParams; result: Result };
  'resources/unsubscribe': { params: UnsubscribeParams; result: Result };
  'prompts/list': { params: PaginatedParams; result: ListPromptsResult };
  'prompts/get': { params: GetPromptParams & InputResponseParams; result: GetPromptResult };
  'completion/complete': { params: CompleteParams; result: CompleteResult };
  'logging/setLevel': { params: SetLevelParams; result: Result };
  'subscriptions/listen': { params: ListenParams; result: ListenResult };
}

/** Requests that a server sends, until 2025-11-25. */
export interface ServerRequests extends TaskRequests {
  ping: { params: EmptyParams; result: Result };
  'roots/list': { params: ListRootsParams; result: ListRootsResult };
  'sampling/createMessage': { params: CreateMessageParams; result: CreateMessageResult };
  'elicitation/create': { params: ElicitParams; result: ElicitResult };
}

/** Either side can hold the other's tasks. */
interface TaskRequests {
  'tasks/get': { params: TaskParams; result: TaskResult };
  'tasks/result': { params: TaskParams; result: TaskPayloadResult };
  'tasks/list': { params: PaginatedParams; result: ListTasksResult };
  'tasks/cancel': { params: TaskParams; result: TaskResult };
}

/** Notifications that a client sends. */
export interface ClientNotifications {
  'notifications/initialized': NotificationParams;
  'notifications/cancelled': CancelledParams;
  'notifications/progress': ProgressParams;
  'notifications/roots/list_changed': NotificationParams;
  'notifications/tasks/status': TaskStatusParams;
}

/** Notifications that a server sends. */
export interface ServerNotifications {
  'notifications/cancelled': CancelledParams;
  'notifications/progress': ProgressParams;
  'notifications/message': LogMessageParams;
  'notifications/tools/list_changed': NotificationParams;
  'notifications/prompts/list_changed': NotificationParams;
  'notifications/resources/list_changed': NotificationParams;
  'notifications/resources/updated': ResourceUpdatedParams;
  'notifications/elicitation/complete': ElicitationCompleteParams;
  'notifications/tasks/status': TaskStatusParams;
  'notifications/subscriptions/acknowledged': SubscriptionsAcknowledgedParams;
}
