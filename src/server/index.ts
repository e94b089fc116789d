/** Build an MCP server. */
export type { CallState, Middleware } from '../middleware/compose.js';
export type { AnyMiddleware, TypedMiddleware } from '../middleware/typed-call.js';
export { McpError, ProtocolError } from '../protocol/errors.js';
export { withJsonSchema } from '../protocol/schema/standard-schema.js';
export type { AppDefinition } from './apps.js';
export { type Ask, type ElicitAnswer, elicit, elicitUrl, roots, sample } from './asks.js';
export type { Completer } from './completion.js';
export { audio, image, resourceLink, text } from './content.js';
export type { Context } from './context.js';
export { type DefinedTool, defineTool } from './define-tool.js';
export type {
  PromptRegistration,
  Registration,
  ResourceRegistration,
  ToolRegistration,
} from './entry-registration.js';
export type { ServerLimits } from './host.js';
export type { HttpHandle, HttpServeOptions } from './http/service.js';
export type { ServerOptions } from './options.js';
export type { PromptDefinition, PromptHandler } from './prompts.js';
export { RegistrationError } from './registration.js';
export type { ResourceDefinition, ResourceHandler } from './resources.js';
export { createServer, Server } from './server.js';
export { ToolError, ToolResult } from './tool-result.js';
export type { ManualTask, ToolDefinition, ToolHandler, ToolReturn } from './tools.js';
