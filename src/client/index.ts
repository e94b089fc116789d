/** Connect to an MCP server, of whatever revision, and use it. */
export type { Observation, Observe } from '../middleware/observe.js';
export type { OtelApi } from '../middleware/opentelemetry.js';
export { McpError, ProtocolError, type ProtocolErrorCode } from '../protocol/errors.js';
export type * from '../protocol/model/index.js';
export { TransportError, type TransportErrorCode } from '../transports/errors.js';
export type { AskContext, AskHandlers, ElicitHandler, RootsSource, SampleHandler } from './asks.js';
export type { Catalogue } from './catalogue.js';
export { classify, type FailureKind } from './classify.js';
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
export type { Collection, Named } from './collection.js';
export { connect } from './connect.js';
export { imagesOf, linksOf, textOf } from './content.js';
export type { StateChange } from './driver.js';
export { accept, acceptDefaults, decline, dismiss } from './elicitation.js';
export { EraVerdicts, type EraVerdictsOptions } from './era-verdicts.js';
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
export type { UpdateHandler } from './interests.js';
export type { KeepAliveSettings } from './keep-alive.js';
export type { StateName } from './machine.js';
export type { CallOptions, ClientExtras, ConnectOptions, RecoverOptions, WhenNotReady } from './options.js';
export type { PaginatedList } from './paginated.js';
export {
  connectAll,
  type Pool,
  type PoolOptions,
  type PoolPrompt,
  type PoolResource,
  type PoolTool,
  type SearchOptions,
} from './pool.js';
export type { PoolServer, ServerStatus } from './pool-server.js';
export type { Prompts } from './prompts.js';
export type { Resources, Subscription } from './resources.js';
export type { Page } from './results.js';
export type { HttpServerConfig, ServerConfig, ServersConfig, StdioServerConfig } from './servers-config.js';
export {
  type HttpTarget,
  openTransport,
  type StdioTarget,
  type Target,
  type TransportSource,
} from './target.js';
export type { Detail, SearchDetails } from './tool-details.js';
export type { Tools } from './tools.js';
