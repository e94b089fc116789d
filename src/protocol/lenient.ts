/**
 * Spellings that older software uses for standard notifications. They are read, never written.
 */

import type { JsonObject, Notification } from '../jsonrpc/message.js';

const ALIASES: Readonly<Record<string, (params: JsonObject) => Notification>> = {
  initialized: (params) => ({ jsonrpc: '2.0', method: 'notifications/initialized', params }),
  '$/cancelRequest': ({ id, ...rest }) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: id, ...rest },
  }),
  '$/progress': ({ token, ...rest }) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { ...(token === undefined ? {} : { progressToken: token }), ...rest },
  }),
};

export function normaliseNotification(notification: Notification): Notification {
  const rewrite = Object.hasOwn(ALIASES, notification.method) ? ALIASES[notification.method] : undefined;
  return rewrite === undefined ? notification : rewrite(notification.params ?? {});
}
