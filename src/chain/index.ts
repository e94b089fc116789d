/** Put middleware in front of MCP servers, make one endpoint of several, and bridge every protocol revision. */
export { createChain } from './builder.js';
export { Chain } from './chain.js';
export { DriftError } from './lock/drift.js';
export type { ChainOptions } from './options.js';
export type { ServerEvent } from './server-events.js';
export { createCommandServer } from './servers/commands.js';
export { createOpenApiServer } from './servers/openapi.js';
export type { Destination } from './targets.js';
