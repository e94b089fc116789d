/** Connect to an MCP server, of whatever revision, and use it. */
export { ProtocolError } from '../protocol/errors.js';
export { textOf } from '../protocol/text-of.js';
export { TransportError } from '../transports/errors.js';
export type { Client } from './client.js';
export { connect } from './connect.js';
export { EraVerdicts } from './connection/era-verdicts.js';
export {
  CancelledError,
  type ClientError,
  ConnectionClosedError,
  mayHaveActed,
  refuse,
  StartTimeoutError,
  StateError,
  TimeoutError,
} from './errors.js';
export { imagesOf, linksOf } from './features/content.js';
export { ToolFailedError } from './features/tool-value.js';
export type { ElicitHandler, SampleHandler } from './input/asks.js';
export { accept, acceptDefaults, decline, dismiss } from './input/elicitation.js';
export type { CallOptions, ConnectOptions } from './options.js';
export { connectAll, type Pool, type PoolOptions } from './pool/pool.js';
export { classify } from './recovery/classify.js';
export type { Target } from './target.js';
