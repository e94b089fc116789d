/** Connect to an MCP server, of whatever revision, and use it. */
export type { Observation, Observe } from '../middleware/observe.js';
export type { OtelApi } from '../middleware/opentelemetry.js';
export { McpError, ProtocolError, type ProtocolErrorCode } from '../protocol/errors.js';
export type * from '../protocol/model/index.js';
export { TransportError, type TransportErrorCode } from '../transports/errors.js';
export type {
  Client,
  ClientStats,
  CloseOptions,
  CompleteOptions,
  Completion,
  Logging,
  ReadyOptions,
  Roots,
} from './client.js';
export { connect } from './connect.js';
export type { StateChange } from './connection/driver.js';
export { EraVerdicts, type EraVerdictsOptions } from './connection/era-verdicts.js';
export type { StateName } from './connection/machine.js';
export {
  CancelledError,
  CLIENT_ERROR_CODES,
  type ClientError,
  type ClientErrorCode,
  ConnectionClosedError,
  mayHaveActed,
  RefusedError,
  refuse,
  StartTimeoutError,
  StateError,
  TimeoutError,
} from './errors.js';
export type {
  ClientEvent,
  ClientEventHandler,
  ClientEvents,
  ClientFault,
  ServerNotification,
} from './events.js';
export { imagesOf, linksOf, textOf } from './features/content.js';
export type { ClientExtension } from './features/extensions.js';
export type { PaginatedList } from './features/paginated.js';
export type { Prompts } from './features/prompts.js';
export type { UpdateHandler } from './features/resource-subscriptions.js';
export type { Resources, Subscription } from './features/resources.js';
export type { Page } from './features/results.js';
export type { LoadedSkill, Skills } from './features/skills.js';
export type { TaskState } from './features/task-state.js';
export type { ResumeOptions, TaskHandle, Tasks } from './features/tasks.js';
export type { Tools } from './features/tools.js';
export type { AskContext, AskHandlers, ElicitHandler, RootsSource, SampleHandler } from './input/asks.js';
export { accept, acceptDefaults, decline, dismiss } from './input/elicitation.js';
export type {
  CallOptions,
  ClientExtras,
  ConnectOptions,
  FollowedCall,
  RecoverOptions,
  WhenNotReady,
} from './options.js';
export type { PoolCatalogue } from './pool/catalogue.js';
export type { Collection, Named } from './pool/collection.js';
export {
  connectAll,
  type Pool,
  type PoolOptions,
  type PoolPrompt,
  type PoolResource,
  type PoolTool,
  type SearchOptions,
} from './pool/pool.js';
export type { PoolServer, ServerStatus } from './pool/pool-server.js';
export type {
  HttpServerConfig,
  ServerConfig,
  ServersConfig,
  StdioServerConfig,
} from './pool/servers-config.js';
export type { Detail, SearchDetails } from './pool/tool-details.js';
export { classify, type FailureKind } from './recovery/classify.js';
export type { KeepAliveSettings } from './recovery/keep-alive.js';
export {
  type HttpTarget,
  openTransport,
  type StdioTarget,
  type Target,
  type TransportSource,
} from './target.js';
