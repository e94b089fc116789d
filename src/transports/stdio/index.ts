/** Stdio, apart from the other transports: it needs Node. */
export { createStdioTransport, type StdioTransport } from './client.js';
export { createStdioServerTransport } from './server.js';
