/**
 * Spellings that older software uses for standard notifications. They are read, never written.
 */

import { isRecord, type JsonObject, type Notification } from '../jsonrpc/message.js';

const ALIASES: Readonly<Record<string, (params: JsonObject) => Notification>> = {
  initialized: (params) => ({ jsonrpc: '2.0', method: 'notifications/initialized', params }),
  '$/cancelRequest': ({ id, ...rest }) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: id, ...rest },
  }),
  '$/progress': ({ token, value, ...rest }) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { ...(token === undefined ? {} : { progressToken: token }), ...progressOf(value), ...rest },
  }),
};

/** A number, or an object as in the Language Server Protocol, which counts in percent and gives the words a title. */
function progressOf(value: unknown): JsonObject {
  if (!isRecord(value)) return typeof value === 'number' ? { progress: value } : {};
  const { kind, title, percentage, ...rest } = value;
  const words = typeof title === 'string' ? { message: title } : {};
  if (typeof percentage === 'number') return { progress: percentage, total: 100, ...words, ...rest };
  return kind === 'begin' ? { progress: 0, ...words, ...rest } : { ...words, ...rest };
}

export function normaliseNotification(notification: Notification): Notification {
  const rewrite = Object.hasOwn(ALIASES, notification.method) ? ALIASES[notification.method] : undefined;
  return rewrite === undefined ? notification : rewrite(notification.params ?? {});
}
