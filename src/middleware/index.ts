export type { Call, Caller, CallFilter, Middleware, Next } from './compose.js';
