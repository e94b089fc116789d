/** Put middleware in front of MCP servers, make one endpoint of several, and bridge every protocol revision. */
export type { Call, Caller, CallFilter, Middleware, Next } from '../middleware/compose.js';
export type { ItemRule, Layer } from '../middleware/layer.js';
export { Chain, type ChainBuilder, type ChainParts, chain } from './chain.js';
export type { ChainExtension, ExtensionRoute, ExtensionServer } from './extensions.js';
export { type Drift, DriftError } from './lock/drift.js';
export type { OnDrift } from './lock/guard.js';
export { InvalidLockError, parseLock, writeLock } from './lock/lock-file.js';
export { readSurface, type Surface } from './lock/surface.js';
export type { NamingRules } from './namespace.js';
export type { ChainOptions } from './options.js';
export type { ParkingOptions } from './parked.js';
export type { ServerEvent } from './server-events.js';
export { commands } from './servers/commands.js';
export type { CommandOptions, CommandsOptions } from './servers/node-commands.js';
export { type OpenApiOptions, openapi } from './servers/openapi.js';
export type { Destination, Destinations } from './targets.js';
export type { Health, Isolation, UpstreamOptions } from './upstream.js';
