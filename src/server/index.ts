/** Build an MCP server. */
export type { Call, Caller, CallFilter, Middleware, Next } from '../middleware/compose.js';
export { McpError, ProtocolError, type ProtocolErrorCode } from '../protocol/errors.js';
export type * from '../protocol/model/index.js';
export {
  type AnySchema,
  type InferInput,
  type InferOutput,
  type StandardSchema,
  withJsonSchema,
} from '../protocol/schema/index.js';
export type { AppDefinition } from './apps.js';
export {
  type AnswersOf,
  type Ask,
  type ElicitAnswer,
  elicit,
  elicitUrl,
  roots,
  type SampleRequest,
  sample,
  type UrlAnswer,
} from './asks.js';
export type { Completer, Completers, Completions } from './completion.js';
export { audio, image, resourceLink, text } from './content.js';
export type { AskOptions, Context } from './context.js';
export type {
  ExtensionHandlers,
  ExtensionImplementation,
  ExtensionNotification,
  ListenSource,
  ServedExtension,
} from './extensions.js';
export type { ServerLimits, ServerStats } from './host.js';
export type { ServerCardOptions } from './http/card.js';
export type { HttpHandle, HttpServeOptions } from './http/service.js';
export type { RequestStateOptions, ServerOptions, ServerTaskOptions } from './options.js';
export type { PromptDefinition, PromptHandler, PromptReturn } from './prompts.js';
export { RegistrationError } from './registration.js';
export type { ResourceDefinition, ResourceHandler, ResourceRequest, ResourceReturn } from './resources.js';
export { createServer, type NotificationHandler, type Registration, Server } from './server.js';
export type { ServedSkills, SkillsOptions } from './skills.js';
export { ToolError, ToolResult } from './tool-result.js';
export type { ManualTask, TaskSupportLevel, ToolDefinition, ToolHandler, ToolReturn } from './tools.js';
