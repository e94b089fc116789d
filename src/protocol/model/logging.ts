/** Log messages from server to client. Deprecated since 2026-07-28. */

import type { NotificationMeta, RequestMeta } from './meta.js';

/** The severities of RFC 5424, least severe first. */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Until 2025-11-25; later revisions set the level on each request, in `_meta`. */
export type SetLevelParams = {
  _meta?: RequestMeta;
  /** The least severe level wanted. */
  level: LogLevel;
};

export type LogMessageParams = {
  _meta?: NotificationMeta;
  level: LogLevel;
  logger?: string;
  /** Any JSON value, often a string or an object. */
  data: unknown;
};
