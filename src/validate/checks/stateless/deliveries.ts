/** What arrives on subscriptions when something changes: to whom, and to nobody else. */

import { isRecord } from '../../../jsonrpc/message.js';
import { textOf } from '../../catalogue.js';
import { type Check, loneCheck, observing } from '../../check.js';
import type { Use } from '../../exercise.js';
import type { Probe } from '../../probe.js';
import type { ValidatorSession } from '../../session/session.js';
import {
  ACKNOWLEDGED,
  FLAGS,
  firstOf,
  granted,
  type Listening,
  listen,
  subscriptionOf,
  textsOf,
  UPDATED,
} from './listening.js';

const DELIVERY_MS = 800;
const NO_CHANGE = 'no callable tool changes a list (--call-tools, or --tool NAME for one that does)';
const NO_UPDATE = 'no callable tool changes a resource (--call-tools, or --tool NAME for one that does)';

export const deliveryChecks: readonly Check[] = [
  observing(
    loneCheck('290 291 292 293 294 297 298 299', async (probe) => {
      for (const [flag, [, notification, fields]] of Object.entries(FLAGS)) {
        const [changing] = probe.seen(({ lists }) => fields.some((field) => lists.has(field)));
        if (changing !== undefined) await judgeChange(probe, flag, notification, changing.use);
      }
      probe.skipAll('292 293 297 299', NO_CHANGE);
    }),
  ),
  observing(
    loneCheck('293 294', async (probe) => {
      const [writer] = probe.seen(({ resources }) => resources.size > 0);
      const [uri] = writer?.resources ?? [];
      if (writer === undefined || uri === undefined) return probe.skip('294', NO_UPDATE);
      const { session } = await probe.open();
      const elsewhere = probe.catalogue.resources
        .map((item) => textOf(item, 'uri'))
        .find((item) => item !== uri);
      const mine = await listen(probe, session, 'plumb-mine', { resourceSubscriptions: [uri] });
      if (firstOf(mine).method !== ACKNOWLEDGED || !('resourceSubscriptions' in granted(mine)))
        return probe.skip('294', 'the server offers no updates of resources');
      const others = [
        await listen(probe, session, 'plumb-elsewhere', {
          resourceSubscriptions: [elsewhere ?? 'plumb://never'],
        }),
        await listen(probe, session, 'plumb-lists', { toolsListChanged: true, resourcesListChanged: true }),
      ];
      await trigger(probe, session, writer.use, () => mine.got(UPDATED).length > 0);
      const strange = [
        ...others.flatMap((listening) => listening.got(UPDATED)),
        ...mine.got(UPDATED).filter(({ value }) => !about(value, uri)),
      ];
      probe.judge(
        '294',
        strange.length === 0,
        'An update for a resource that is not in the filter',
        'only listed URIs',
        { sent: writer.use.last.sent, received: textsOf(strange) },
      );
      probe.judge('293', mine.got(UPDATED).length > 0, `A change of ${uri} was not delivered`, UPDATED, {
        sent: writer.use.last.sent,
        received: textsOf(mine.messages()),
        timed: true,
      });
      await Promise.all([mine, ...others].map((listening) => listening.end()));
    }),
  ),
];

/** One change, watched by those who asked for it, by one who asked for something else, and by one who left. */
async function judgeChange(probe: Probe, flag: string, notification: string, use: Use): Promise<void> {
  const { session } = await probe.open();
  // Over stdio another connection is another server.
  const { session: second } = probe.transport === 'stdio' ? { session } : await probe.open();
  const one = await listen(probe, session, `plumb-one-${flag}`, { [flag]: true });
  if (firstOf(one).method !== ACKNOWLEDGED) return;
  if (granted(one)[flag] !== true) return judgeUngranted(probe, one, flag, notification, use);
  const two = await listen(probe, second, 77, { [flag]: true, resourceSubscriptions: ['plumb://never'] });
  const otherFlags = Object.fromEntries(
    Object.keys(FLAGS).flatMap((name) => (name === flag ? [] : [[name, true]])),
  );
  const other = await listen(probe, second, `plumb-other-${flag}`, otherFlags);
  const left = await listen(probe, session, `plumb-left-${flag}`, { [flag]: true });
  await left.end();
  await session.request('server/discover');
  const before = left.messages().length;
  const got = (listening: Listening): number => listening.got(notification).length;
  const mark = session.inbox.length;
  await trigger(probe, session, use, () => got(one) > 0 && got(two) > 0);
  const sent = use.last.sent;
  probe.judge('293', got(one) > 0, `A change of ${flag} was not delivered`, notification, {
    sent,
    received: textsOf(one.messages()),
    timed: true,
  });
  probe.judge(
    '299',
    got(one) > 0 && got(two) > 0,
    'Not every subscription got its own copy',
    'a copy for each, with its own id',
    { sent, received: textsOf([...one.messages(), ...two.messages()]), timed: true },
  );
  const strange = other.got(notification);
  probe.judge(
    '292',
    strange.length === 0,
    `${notification} to a subscription that did not ask for it`,
    'only requested types',
    { sent, received: textsOf(strange) },
  );
  const wrong = one
    .messages()
    .filter(({ value }) => isNews({ value }) && !isOf(value, [notification, ACKNOWLEDGED]));
  const updates = wrong.filter(({ value }) => isOf(value, [UPDATED]));
  const asked = `to a subscription that asked for ${flag} only`;
  probe.judge('294', updates.length === 0, `An update of a resource ${asked}`, 'only listed URIs', {
    sent,
    received: textsOf(updates),
  });
  const others = wrong.filter((entry) => !updates.includes(entry));
  probe.judge('292', others.length === 0, `Another notification ${asked}`, 'only requested types', {
    sent,
    received: textsOf(others),
  });
  // A subscription id that is no id of ours cannot be attributed to any of them; over HTTP each has a stream of its own.
  const ids = new Set<unknown>([one, two, other, left].map(({ id }) => id));
  const lost = [
    ...session.inbox.slice(mark).filter(({ value }) => {
      const id = isOf(value, [notification]) ? subscriptionOf(value) : undefined;
      return id !== undefined && !ids.has(id);
    }),
    ...[one, two].flatMap((listening) =>
      listening.got(notification).filter(({ value }) => subscriptionOf(value) !== listening.id),
    ),
  ];
  probe.judge(
    '291',
    lost.length === 0,
    'A subscription id that is not that of its request',
    'the id of the request',
    {
      sent,
      received: textsOf(lost),
    },
  );
  const late = left.messages().slice(before).filter(isNews);
  probe.judge('297', late.length === 0, 'Notifications after the subscription was ended', 'nothing', {
    sent,
    received: textsOf(late),
  });
  // Once more: the server is left as it was found.
  await session.request(use.method, use.params, { timeoutMs: probe.patient(2_000) });
  await Promise.all([one, two, other].map((listening) => listening.end()));
}

/** A server may refuse a type; it may not send what it has not acknowledged. */
async function judgeUngranted(
  probe: Probe,
  listening: Listening,
  flag: string,
  notification: string,
  use: Use,
): Promise<void> {
  const { session } = listening;
  const came = (): boolean => listening.got(notification).length > 0;
  await trigger(probe, session, use, came);
  probe.judge(
    '290',
    !came(),
    `${notification} came though ${flag} was not acknowledged`,
    'every type that is sent is in the acknowledgement',
    { sent: listening.sent, received: textsOf(listening.messages()) },
  );
  // Once more: the server is left as it was found.
  await session.request(use.method, use.params, { timeoutMs: probe.patient(2_000) });
  await listening.end();
}

async function trigger(
  probe: Probe,
  session: ValidatorSession,
  use: Use,
  enough: () => boolean,
): Promise<void> {
  await session.request(use.method, use.params, { timeoutMs: probe.patient(2_000) });
  const deadline = performance.now() + probe.patient(DELIVERY_MS);
  while (!enough() && performance.now() < deadline) await session.quiet(20);
  // What must not come gets a little time to come.
  await session.quiet(Math.min(150, probe.settings.quietMs));
}

function isNews({ value }: { value?: unknown }): boolean {
  return isRecord(value) && 'method' in value && value.method !== 'notifications/cancelled';
}

function isOf(value: unknown, methods: readonly string[]): boolean {
  return isRecord(value) && methods.includes(textOf(value, 'method'));
}

function about(value: unknown, uri: string): boolean {
  return isRecord(value) && isRecord(value.params) && textOf(value.params, 'uri').startsWith(uri);
}
