export type { Call, CallFilter, Caller, Middleware, Next } from './compose.js';
