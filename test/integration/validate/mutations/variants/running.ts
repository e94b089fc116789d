/** Variants: ping, cancellation and progress. */

import { isRecord } from '../../../../../src/jsonrpc/message.js';
import { notification, result, without } from '../change.js';
import type { Mutation } from '../harness.js';
import { failure, hears, m, metaIn, paramsOf, to } from './pieces.js';

export const RUNNING_VARIANTS: readonly Mutation[] = [
  m('081', 'ping repeats its params', {
    revision: 2,
    ...result('ping', (given) => ({ ...given, ok: true })),
  }),
  m('081', 'ping before initialize is not answered', {
    revision: 4,
    input: (message, _say, text, memory) => {
      if (isRecord(message) && message.method === 'initialize') memory.set('ready', true);
      return isRecord(message) && message.method === 'ping' && !memory.has('ready') ? undefined : text;
    },
  }),
  m('082', 'the server cancels our call', {
    revision: 4,
    ...to('tools/call', (message) => [
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message.id } },
      message,
    ]),
  }),
  m('083', 'progress goes on after a cancellation', {
    revision: 4,
    input: (message, _say, text, memory) => {
      if (!isRecord(message) || message.method !== 'notifications/cancelled') return text;
      memory.set(`gone ${JSON.stringify(paramsOf(message).requestId)}`, true);
      return undefined;
    },
    out: (message, _asked, memory) =>
      memory.has(`gone ${JSON.stringify(message.id)}`) ? undefined : message,
  }),
  m('085', 'cancelling what is over is answered', {
    revision: 3,
    ...hears((message, say) => {
      if (message.method === 'notifications/cancelled')
        say({ id: paramsOf(message).requestId, ...failure(-32602) });
      return message;
    }),
  }),
  m('407', 'a malformed cancellation ends the server', {
    revision: 4,
    diesOf: (message) =>
      isRecord(message) &&
      message.method === 'notifications/cancelled' &&
      paramsOf(message).requestId === null,
  }),
  m(
    '087',
    'a cancelled call is answered with an error',
    hears((message, say) => {
      if (message.method === 'notifications/cancelled')
        say({ id: paramsOf(message).requestId, ...failure(-32800) });
      return message;
    }),
  ),
  m(
    '089',
    'the server cancels our call',
    to('tools/call', (message) => [
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message.id } },
      message,
    ]),
  ),
  m(
    '092',
    'numeric tokens are ignored',
    hears((message) =>
      typeof metaIn(message).progressToken === 'number'
        ? { ...message, params: { ...paramsOf(message), _meta: without(metaIn(message), 'progressToken') } }
        : message,
    ),
  ),
  m('092', 'the token 0 is ignored', {
    revision: 4,
    ...hears((message) =>
      metaIn(message).progressToken === 0
        ? { ...message, params: { ...paramsOf(message), _meta: without(metaIn(message), 'progressToken') } }
        : message,
    ),
  }),
  m(
    '093',
    'numeric tokens become texts',
    notification('notifications/progress', (params, message) => ({
      ...message,
      params: { ...params, progressToken: String(params.progressToken) },
    })),
  ),
  m('093', 'progress without a token', {
    revision: 4,
    ...hears((message) =>
      message.method === 'tools/call' && metaIn(message).progressToken === undefined
        ? {
            ...message,
            params: { ...paramsOf(message), _meta: { ...metaIn(message), progressToken: 'default' } },
          }
        : message,
    ),
  }),
  m('093', 'tokens get a prefix', {
    revision: 2,
    ...notification('notifications/progress', (params, message) => ({
      ...message,
      params: { ...params, progressToken: `token-${String(params.progressToken)}` },
    })),
  }),
  m(
    '094',
    'progress starts again',
    notification('notifications/progress', (params, message) => ({
      ...message,
      params: { ...params, progress: Number(params.progress) % 3 },
    })),
  ),
  m('094', 'every step is reported twice', {
    revision: 2,
    ...notification('notifications/progress', (_params, message) => [message, message]),
  }),
  m('094', 'progress is a text', {
    revision: 3,
    ...notification('notifications/progress', (params, message) => ({
      ...message,
      params: { ...params, progress: `${String(params.progress)}` },
    })),
  }),
  m('095', 'a last step after the answer', {
    revision: 3,
    out: (message, asked) => {
      const token = isRecord(asked?.params._meta) ? asked.params._meta.progressToken : undefined;
      return asked?.method === 'tools/call' && token !== undefined
        ? [
            message,
            {
              jsonrpc: '2.0',
              method: 'notifications/progress',
              params: { progressToken: token, progress: 1_000 },
            },
          ]
        : message;
    },
  }),
];
