/** Stdio, apart from the other transports: it needs Node. */
export type { ChildOptions, ShutdownTimings } from './child.js';
export { createStdioTransport, type StdioTransport, type StdioTransportOptions } from './client.js';
export type { EnvironmentOptions } from './environment.js';
export type { StdioReaderOptions } from './reader.js';
export { createStdioServerTransport, type StdioServerTransportOptions } from './server.js';
