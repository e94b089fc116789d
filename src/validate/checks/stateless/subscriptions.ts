/** subscriptions/listen: what is granted, and how a subscription begins and ends. */

import { METHOD_NOT_FOUND } from '../../../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { MISSING_CAPABILITY } from '../../../protocol/errors.js';
import { META_SUBSCRIPTION_ID } from '../../../protocol/model/meta.js';
import { textOf } from '../../catalogue.js';
import { type Check, check, OVER_HTTP, OVER_STDIO, ownCheck } from '../../check.js';
import type { Probe } from '../../probe.js';
import { SSE_TYPE } from '../../wire/http-connection.js';
import { LineConnection } from '../../wire/line-pipe.js';
import {
  ACKNOWLEDGED,
  FLAGS,
  firstOf,
  granted,
  type Listening,
  listen,
  subscriptionOf,
} from './listening.js';

const GRACE_MS = 3_000;
const ALL = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
const NOTHING = 'the server offers nothing to listen to';

export const subscriptionChecks: readonly Check[] = [
  ownCheck('288 289 290 291', async (probe) => {
    const { session } = await probe.open();
    const [uri = 'plumb://nothing'] = probe.catalogue.resources.map((item) => textOf(item, 'uri'));
    const wishes: [string | number, JsonObject][] = [
      ['plumb-listen', ALL],
      [5, ALL],
      [0, { toolsListChanged: true }],
      ['plumb-prompts-only', { promptsListChanged: true }],
      ['plumb-resources-only', { resourcesListChanged: true }],
      ['plumb-uris-only', { resourceSubscriptions: [uri] }],
      ['plumb-refused', { toolsListChanged: false, promptsListChanged: true }],
      ['plumb-unknown', { plumbChanged: true, toolsListChanged: true }],
    ];
    for (const [id, wish] of wishes) {
      const listening = await listen(probe, session, id, wish);
      const message = firstOf(listening);
      if (isRecord(message.error) && (message.error.code === METHOD_NOT_FOUND || !offersChanges(probe)))
        return probe.skipAll('288 289 290 291', NOTHING);
      judgeBeginning(probe, listening, wish);
      await listening.end();
    }
  }),
  ownCheck('296', endsGracefully, OVER_STDIO),
  check('339', async (probe) => {
    const session = await probe.session();
    const extensions = probe.catalogue.capabilities.extensions;
    if (!isRecord(extensions) || !('io.modelcontextprotocol/tasks' in extensions))
      return probe.skip('339', 'the server has no tasks');
    const reply = await session.request(
      'subscriptions/listen',
      { notifications: { taskIds: ['x'] } },
      { meta: { 'io.modelcontextprotocol/clientCapabilities': {} } },
    );
    probe.judge(
      '339',
      reply.kind === 'error' && reply.code === MISSING_CAPABILITY,
      'taskIds without the extension were accepted',
      'error -32021',
      reply,
    );
  }),
  ownCheck(
    '202 245',
    async (probe) => {
      if (!probe.stateless) return;
      const { session } = await probe.open();
      const listening = await listen(probe, session, 'plumb-type', ALL);
      const { delivery, sent, end } = listening;
      // A refusal is no stream.
      if (delivery === undefined || delivery.status !== 200 || isRecord(firstOf(listening).error)) return;
      probe.judge(
        '202',
        delivery.contentType === SSE_TYPE,
        `subscriptions/listen was answered with ${delivery.contentType || 'no content type'}`,
        SSE_TYPE,
        { sent, received: `HTTP ${delivery.status} ${delivery.contentType}` },
      );
      const buffering = delivery.headers['x-accel-buffering'];
      probe.judge(
        '245',
        buffering === 'no' || delivery.contentType !== SSE_TYPE,
        `X-Accel-Buffering of a subscription is ${buffering ?? 'absent'}`,
        'X-Accel-Buffering: no',
        { sent, received: `HTTP ${delivery.status}` },
      );
      await end();
    },
    OVER_HTTP,
  ),
];

/** A server that declares no changes may refuse every subscription. */
function offersChanges({ catalogue }: Probe): boolean {
  return Object.values(catalogue.capabilities).some(
    (declared) => isRecord(declared) && (declared.listChanged === true || declared.subscribe === true),
  );
}

function judgeBeginning(probe: Probe, listening: Listening, wish: JsonObject): void {
  const { id, sent } = listening;
  const message = firstOf(listening);
  const received =
    listening
      .messages()
      .map(({ text }) => text)
      .join('\n') || '(nothing)';
  const evidence = { sent, received, timed: listening.messages().length === 0 };
  const acknowledged = message.method === ACKNOWLEDGED;
  probe.judge(
    '288',
    acknowledged,
    'The first message of a subscription is no acknowledgement',
    ACKNOWLEDGED,
    evidence,
  );
  probe.judge('289', acknowledged, 'Something came before the acknowledgement', ACKNOWLEDGED, evidence);
  const tagged = listening
    .messages()
    .every(({ value }) => (isRecord(value) && 'id' in value) || subscriptionOf(value) === id);
  probe.judge(
    '291',
    acknowledged && tagged,
    'A notification without the id of its subscription',
    `${META_SUBSCRIPTION_ID}: ${JSON.stringify(id)}`,
    evidence,
  );
  if (!acknowledged) return;
  const strange = Object.entries(granted(listening)).find(
    ([name, value]) => !mayGrant(probe, wish, name, value),
  );
  probe.judge(
    '290',
    strange === undefined && isRecord(message.params) && isRecord(message.params.notifications),
    `The acknowledgement of ${JSON.stringify(wish)} has ${JSON.stringify(strange ?? message.params)}`,
    'only supported types that were requested',
    evidence,
  );
}

/** Only what was asked for, and of that only what the server declares. */
function mayGrant(probe: Probe, wish: JsonObject, name: string, value: unknown): boolean {
  if (value === false || value === undefined) return true;
  const wanted = wish[name];
  if (Array.isArray(value))
    return value.length === 0 || (Array.isArray(wanted) && value.every((item) => wanted.includes(item)));
  if (wanted !== true) return false;
  const capability = probe.catalogue.capabilities[FLAGS[name]?.[0] ?? ''];
  return name in FLAGS && isRecord(capability) && capability.listChanged === true;
}

/** A server that is asked to stop ends its listen streams with a response. */
async function endsGracefully(probe: Probe): Promise<void> {
  const { session } = await probe.open();
  const { connection } = session;
  const listening = await listen(probe, session, 'plumb-graceful', ALL);
  if (firstOf(listening).method !== ACKNOWLEDGED) return probe.skip('296', NOTHING);
  if (!(connection instanceof LineConnection) || !connection.terminate()) {
    return probe.skip('296', 'this server cannot be asked to stop from outside');
  }
  const answer = await session.waitFor((message) => message.id === listening.id, probe.patient(GRACE_MS));
  if (answer === undefined && /was ended by/.test(connection.epitaph)) {
    return probe.skip('296', 'the server has no way to stop in order: it was ended by the signal');
  }
  const result = isRecord(answer?.value) && isRecord(answer.value.result) ? answer.value.result : {};
  const meta = isRecord(result._meta) ? result._meta : {};
  probe.judge(
    '296',
    result.resultType === 'complete' && meta[META_SUBSCRIPTION_ID] === listening.id,
    'The server stopped without ending its subscriptions',
    'a result with resultType complete and the subscriptionId',
    { sent: 'SIGTERM', received: answer?.text ?? connection.epitaph, timed: answer === undefined },
  );
}
