/** Build an MCP server. */
export type { TypedMiddleware } from '../middleware/typed-call.js';
export { ProtocolError } from '../protocol/errors.js';
export { withJsonSchema } from '../protocol/schema/standard-schema.js';
export { textOf } from '../protocol/text-of.js';
export { type Ask, type ElicitAnswer, elicit, elicitUrl, roots, sample } from './asks.js';
export type { Bucket, BucketOptions } from './buckets/bucket.js';
export { audio, image, resourceLink, text } from './content.js';
export type { Context } from './context.js';
export { defineTool } from './define-tool.js';
export type { Registration } from './entry-registration.js';
export type { HttpHandle, HttpServeOptions } from './http/service.js';
export type { ServerOptions } from './options.js';
export type { PromptDefinition, PromptHandler } from './prompts.js';
export { RegistrationError } from './registration.js';
export type { ResourceDefinition, ResourceHandler } from './resources.js';
export { createServer, Server } from './server.js';
export { ToolError, ToolResult } from './tool-result.js';
export type { ToolDefinition, ToolHandler } from './tools.js';
