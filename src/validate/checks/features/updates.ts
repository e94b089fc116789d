/** Subscriptions of the handshake era: updates for whoever subscribed, as long as they do. */

import { isRecord } from '../../../jsonrpc/message.js';
import { textOf } from '../../catalogue.js';
import { type Check, loneCheck, observing } from '../../check.js';
import type { Use } from '../../exercise.js';
import type { Probe } from '../../probe.js';
import { outcomeOf, type WireReply } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';
import type { RecordedEntry } from '../../wire/recorder.js';

const UPDATED = 'notifications/resources/updated';
const UPDATE_MS = 800;

export const updateChecks: readonly Check[] = [
  observing(
    loneCheck('126 127', async (probe) => {
      const resources = probe.catalogue.capabilities.resources;
      const [any] = probe.catalogue.resources.map((resource) => textOf(resource, 'uri'));
      if (!isRecord(resources) || resources.subscribe !== true || any === undefined)
        return probe.skipAll('126 127', 'the server offers no subscriptions');
      const [writer] = probe.seen((effects) => effects.resources.size > 0);
      const [uri = any] = writer?.resources ?? [];
      const { session } = await probe.open();
      // Beside it: a client that never subscribed, and one that subscribed to something else.
      const bystander = probe.transport === 'stdio' ? undefined : (await probe.open()).session;
      const { session: other } = await probe.open();
      const elsewhere = probe.catalogue.resources
        .map((item) => textOf(item, 'uri'))
        .find((item) => item !== uri);
      if (elsewhere !== undefined) await other.request('resources/subscribe', { uri: elsewhere });
      acknowledged(probe, '126', await session.request('resources/subscribe', { uri }));
      if (writer === undefined) {
        acknowledged(probe, '127', await session.request('resources/unsubscribe', { uri }));
        return;
      }
      const came = await updates(probe, session, writer.use, uri);
      probe.judge('126', came.length > 0, `${uri} changed and its subscriber was not notified`, UPDATED, {
        sent: `resources/subscribe ${uri}, then ${writer.use.last.sent}`,
        received: came.map(({ text }) => text).join('\n') || '(nothing)',
        timed: true,
      });
      await updates(probe, other, writer.use, uri, false);
      const known = new Map([
        [session, uri],
        [other, elsewhere],
      ]);
      for (const peer of [session, other, ...(bystander === undefined ? [] : [bystander])]) {
        for (const { text } of strange(peer, known.get(peer)))
          probe.fail('126', 'An update for a resource that is not subscribed', {
            received: text,
            expected: 'updates only of what was subscribed',
          });
      }
      acknowledged(probe, '127', await session.request('resources/unsubscribe', { uri }));
      const late = await updates(probe, session, writer.use, uri, false);
      probe.judge('127', late.length === 0, 'An update after resources/unsubscribe', 'no more updates', {
        sent: `resources/unsubscribe ${uri}, then ${writer.use.last.sent}`,
        received: late.map(({ text }) => text).join('\n'),
      });
    }),
  ),
];

function acknowledged(probe: Probe, id: string, reply: WireReply): void {
  const empty = reply.kind === 'result' && Object.keys(reply.result).every((key) => key === '_meta');
  probe.judge(
    id,
    empty,
    `${id === '126' ? 'resources/subscribe' : 'resources/unsubscribe'}: ${outcomeOf(reply)}`,
    'an empty result',
    reply,
  );
}

/** Updates that come when the tool is called; waits for the first where one is due. */
async function updates(
  probe: Probe,
  session: ValidatorSession,
  { method, params }: Use,
  uri: string,
  due = true,
): Promise<readonly RecordedEntry[]> {
  const mark = session.inbox.length;
  const found = (): readonly RecordedEntry[] =>
    session.inbox.slice(mark).filter((entry) => updatedUri(entry) === uri);
  await session.request(method, params, { timeoutMs: probe.patient(2_000) });
  const deadline = performance.now() + (due ? probe.patient(UPDATE_MS) : probe.settings.quietMs);
  while (performance.now() < deadline && !(due && found().length > 0)) await session.quiet(20);
  return found();
}

function strange({ inbox }: ValidatorSession, subscribed: string | undefined): readonly RecordedEntry[] {
  return inbox.filter((entry) => {
    const uri = updatedUri(entry);
    // A part of what was subscribed may be named in its place.
    return uri !== undefined && (subscribed === undefined || !uri.startsWith(subscribed));
  });
}

function updatedUri({ value }: RecordedEntry): string | undefined {
  if (!isRecord(value) || value.method !== UPDATED) return undefined;
  return isRecord(value.params) ? textOf(value.params, 'uri') : '';
}
