/** JSON-RPC 2.0, and nothing else. */
export * from './codes.js';
export * from './decode.js';
export * from './encode.js';
export * from './message.js';
export * from './pending.js';
