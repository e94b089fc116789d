/** The MCP vocabulary: types of every message, the revisions, and the errors. */
export { McpError, ProtocolError } from './errors.js';
export type { Icon, Implementation, JsonSchema, Result, Role } from './model/base.js';
export type { ClientCapabilities, ServerCapabilities } from './model/capabilities.js';
export type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from './model/content.js';
export type { ElicitParams, ElicitResult, ElicitSchema } from './model/elicitation.js';
export { LOG_LEVELS, type LogLevel } from './model/logging.js';
export type {
  ClientNotifications,
  ClientRequests,
  ServerNotifications,
  ServerRequests,
} from './model/methods.js';
export type { GetPromptResult, Prompt, PromptMessage } from './model/prompts.js';
export type { ReadResourceResult, Resource, ResourceContents, ResourceTemplate } from './model/resources.js';
export type { Root } from './model/roots.js';
export type { CreateMessageParams, CreateMessageResult, SamplingMessage } from './model/sampling.js';
export type { Task } from './model/tasks.js';
export type { CallToolResult, Tool, ToolAnnotations } from './model/tools.js';
export { PROTOCOL_REVISIONS } from './protocol-revisions.js';
export type { AnySchema, InferInput, InferOutput } from './schema/infer.js';
export type { StandardSchema } from './schema/standard-schema.js';
