/** Stdio, apart from the other transports: it needs Node. */
export { createStdioTransport, type StdioTransport, type StdioTransportOptions } from './client.js';
export { createStdioServerTransport, type StdioServerTransportOptions } from './server.js';
