/** Everything most programs need: a server, a client, and the errors they share. */
export { connect } from './client/index.js';
export { McpError, ProtocolError } from './protocol/errors.js';
export { createServer, ToolError, ToolResult } from './server/index.js';
