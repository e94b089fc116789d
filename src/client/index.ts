/** Connect to an MCP server, of whatever revision, and use it. */
export type { Observation, Observe } from '../middleware/observe.js';
export { McpError, ProtocolError } from '../protocol/errors.js';
export { TransportError } from '../transports/errors.js';
export type { Client } from './client.js';
export { connect } from './connect.js';
export { EraVerdicts } from './connection/era-verdicts.js';
export {
  CancelledError,
  type ClientError,
  ConnectionClosedError,
  mayHaveActed,
  RefusedError,
  refuse,
  StartTimeoutError,
  StateError,
  TimeoutError,
} from './errors.js';
export type { ClientEvents } from './events.js';
export { imagesOf, linksOf, textOf } from './features/content.js';
export type { Subscription } from './features/resources.js';
export type { Page } from './features/results.js';
export type { TaskHandle } from './features/tasks.js';
export { ToolFailedError } from './features/tool-value.js';
export type { AskHandlers, ElicitHandler, SampleHandler } from './input/asks.js';
export { accept, acceptDefaults, decline, dismiss } from './input/elicitation.js';
export type { CallOptions, ConnectOptions } from './options.js';
export { connectAll, type Pool, type PoolOptions, type PoolTool } from './pool/pool.js';
export type { ServersConfig } from './pool/servers-config.js';
export { classify } from './recovery/classify.js';
export { type HttpTarget, openTransport, type StdioTarget, type Target } from './target.js';
export type { TypedClient } from './typed-client.js';
