/** Put middleware in front of MCP servers, make one endpoint of several, and bridge every protocol revision. */
export { Chain, chain } from './chain.js';
export type { ChainExtension } from './extensions.js';
export { DriftError } from './lock/drift.js';
export { InvalidLockError, parseLock, writeLock } from './lock/lock-file.js';
export { readSurface, type Surface } from './lock/surface.js';
export type { ChainOptions } from './options.js';
export type { ServerEvent } from './server-events.js';
export { commands } from './servers/commands.js';
export { openapi } from './servers/openapi.js';
export type { Destination, Destinations } from './targets.js';
export type { Health, UpstreamOptions } from './upstream.js';
