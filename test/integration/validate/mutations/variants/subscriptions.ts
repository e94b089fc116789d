/** Variants: subscriptions. */

import { isRecord, type JsonObject } from '../../../../../src/jsonrpc/message.js';
import { notification, without } from '../change.js';
import type { Mutation } from '../harness.js';
import { CAPABILITIES, COMPLETE, hears, m, metaIn, metas, paramsOf, to } from './pieces.js';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const CHANGED = 'notifications/tools/list_changed';

const acknowledges = (change: (granted: JsonObject) => JsonObject): Partial<Mutation> =>
  notification(ACKNOWLEDGED, (params, message) => ({
    ...message,
    params: { ...params, notifications: change(isRecord(params.notifications) ? params.notifications : {}) },
  }));

export const SUBSCRIPTION_VARIANTS: readonly Mutation[] = [
  m(
    '288',
    'a result in place of the acknowledgement',
    notification(ACKNOWLEDGED, (params) => ({
      jsonrpc: '2.0',
      id: isRecord(params._meta) ? params._meta[SUBSCRIPTION] : null,
      result: COMPLETE,
    })),
  ),
  m(
    '290',
    'everything is granted to everybody',
    acknowledges(() => ({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true })),
  ),
  m(
    '290',
    'resources that nobody named',
    acknowledges((granted) => ({ ...granted, resourceSubscriptions: ['ref://text'] })),
  ),
  m(
    '290',
    'unknown types are granted',
    acknowledges((granted) => ({ ...granted, plumbChanged: true })),
  ),
  m(
    '290',
    'nothing is named',
    notification(ACKNOWLEDGED, (params, message) => ({
      ...message,
      params: without(params, 'notifications'),
    })),
  ),
  m(
    '291',
    'the id 0 is lost',
    notification(ACKNOWLEDGED, (params, message) =>
      isRecord(params._meta) && params._meta[SUBSCRIPTION] === 0
        ? { ...message, params: without(params, '_meta') }
        : message,
    ),
  ),
  m(
    '291',
    'the id of another',
    notification(ACKNOWLEDGED, (params, message) => ({
      ...message,
      params: {
        ...params,
        _meta: { [SUBSCRIPTION]: `x-${String(isRecord(params._meta) ? params._meta[SUBSCRIPTION] : '')}` },
      },
    })),
  ),
  m(
    '298',
    'changes lose their subscription',
    notification(CHANGED, (params, message) => ({ ...message, params: without(params, '_meta') })),
  ),
  m(
    '293',
    'updates are not delivered',
    notification('notifications/resources/updated', () => undefined),
  ),
  m(
    '294',
    'updates go to everybody',
    notification('notifications/resources/updated', (params, message) =>
      ['plumb-elsewhere', 'plumb-lists', 'plumb-mine'].map((id) => ({
        ...message,
        params: { ...params, _meta: { [SUBSCRIPTION]: id } },
      })),
    ),
  ),
  m(
    '299',
    'numeric subscriptions get nothing',
    notification(CHANGED, (params, message) =>
      isRecord(params._meta) && typeof params._meta[SUBSCRIPTION] === 'number' ? undefined : message,
    ),
  ),
  m(
    '297',
    'ended subscriptions go on',
    hears((message) =>
      message.method === 'notifications/cancelled' && typeof paramsOf(message).requestId === 'string'
        ? undefined
        : message,
    ),
  ),
  m('054', 'the client is asked whatever it declares, by name', {
    revision: 3,
    ...to('tools/call', (message) => [
      { jsonrpc: '2.0', id: `q-${String(message.id)}`, method: 'roots/list' },
      message,
    ]),
  }),
  m('079', 'calls depend on the client', {
    out: (message, asked) =>
      asked?.method === 'tools/list' &&
      isRecord(asked.params._meta) &&
      JSON.stringify(asked.params._meta).includes('claude') &&
      isRecord(message.result)
        ? {
            ...message,
            result: {
              ...message.result,
              tools: [...(Array.isArray(message.result.tools) ? message.result.tools : [])].reverse(),
            },
          }
        : message,
  }),
  m('061', 'a request without its own version is served', {
    transport: 'http',
    ...{ http: { request: (request) => addVersion(request) } },
  }),
  m(
    '064',
    'capabilities may be left out after the first time',
    metas((meta, message) =>
      metaIn(message)[CAPABILITIES] !== undefined &&
      Object.keys(metaIn(message)[CAPABILITIES] as JsonObject).length === 0
        ? {
            ...meta,
            [CAPABILITIES]: {
              elicitation: { form: {}, url: {} },
              sampling: { tools: {}, context: {} },
              roots: {},
            },
          }
        : meta,
    ),
  ),
];

/** Fills in what the request lacks. */
function addVersion<T extends { readonly body: string }>(request: T): T {
  try {
    const message: unknown = JSON.parse(request.body);
    if (!isRecord(message) || !('id' in message) || metaIn(message)[CAPABILITIES] === undefined)
      return request;
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', ...metaIn(message) };
    return { ...request, body: JSON.stringify({ ...message, params: { ...paramsOf(message), _meta } }) };
  } catch {
    return request;
  }
}
