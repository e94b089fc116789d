/**
 * The MCP vocabulary, written once for all revisions: the newest shape, plus what only older ones carry.
 * Params and results are type aliases rather than interfaces, so that they pass for a `JsonObject` without a cast.
 */
export * from './base.js';
export * from './capabilities.js';
export * from './completion.js';
export * from './content.js';
export * from './elicitation.js';
export * from './input-required.js';
export * from './lifecycle.js';
export * from './logging.js';
export * from './meta.js';
export * from './methods.js';
export * from './notifications.js';
export * from './prompts.js';
export * from './resources.js';
export * from './roots.js';
export * from './sampling.js';
export * from './subscriptions.js';
export * from './tasks.js';
export * from './tools.js';
