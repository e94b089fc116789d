/** List changes of the handshake era, and what may be sent without being asked. */

import { isRecord } from '../../../jsonrpc/message.js';
import { META_SUBSCRIPTION_ID } from '../../../protocol/model/meta.js';
import { listPages } from '../../catalogue.js';
import { type Check, loneCheck, observing, watch } from '../../check.js';
import type { Probe } from '../../probe.js';
import type { WireReply } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';
import { sortTraffic } from '../../traffic.js';

const KINDS = [
  ['tools', 'notifications/tools/list_changed', 'tools/list', 'tools'],
  ['prompts', 'notifications/prompts/list_changed', 'prompts/list', 'prompts'],
  ['resources', 'notifications/resources/list_changed', 'resources/list', 'resources'],
  ['resources', 'notifications/resources/list_changed', 'resources/templates/list', 'resourceTemplates'],
] as const;

const CHANGE_MS = 800;

function announces(probe: Probe, capability: string): boolean {
  const declared = probe.catalogue.capabilities[capability];
  return isRecord(declared) && declared.listChanged === true;
}

const UPDATED = 'notifications/resources/updated';

export const changeChecks: readonly Check[] = [
  observing(
    loneCheck('101', async (probe) => {
      if (probe.stateless) return probe.skip('101', 'changes travel on listen streams (293)');
      for (const kind of KINDS) {
        const [changing] = probe.seen(({ lists }) => lists.has(kind[3]));
        if (changing === undefined || !announces(probe, kind[0])) continue;
        const { session } = await probe.open();
        // Twice: the server is left as it was found.
        for (const _ of [1, 2]) await announced(probe, session, kind, changing.use.params);
      }
      probe.skip('101', 'no callable tool changes a list (--call-tools, or --tool NAME for one that does)');
    }),
  ),
  observing(
    watch('102 298', (probe) => {
      const { notifications, received } = sortTraffic(probe.recorder.entries);
      if (received.length > 0) probe.pass('102', '298');
      for (const { method, params, entry } of notifications) {
        if (method === UPDATED && probe.stateless)
          probe.judge(
            '298',
            isRecord(params._meta) && META_SUBSCRIPTION_ID in params._meta,
            `${method} outside a listen stream`,
            'updates only while a client listens',
            { received: entry.text },
          );
        const kind = KINDS.find(([, name]) => name === method);
        if (kind === undefined) continue;
        probe.judge(
          '102',
          announces(probe, kind[0]),
          `${method} without ${kind[0]}.listChanged`,
          'the capability, or no notification',
          { received: entry.text },
        );
        const meta = isRecord(params._meta) ? params._meta : {};
        probe.judge(
          '298',
          META_SUBSCRIPTION_ID in meta,
          `${method} outside a listen stream`,
          'list changes only while a client listens',
          { received: entry.text },
        );
      }
    }),
  ),
];

async function announced(
  probe: Probe,
  session: ValidatorSession,
  [, notification, method, field]: (typeof KINDS)[number],
  params: Record<string, unknown>,
): Promise<void> {
  const before = itemsOf(await listPages(session, method), field);
  const mark = session.inbox.length;
  const called = await session.request('tools/call', params, { timeoutMs: probe.patient(2_000) });
  const came = (): boolean =>
    session.inbox.slice(mark).some(({ value }) => isRecord(value) && value.method === notification);
  const deadline = performance.now() + probe.patient(CHANGE_MS);
  while (!came() && performance.now() < deadline) await session.quiet(20);
  const pages = await listPages(session, method);
  if (itemsOf(pages, field) === before) return;
  probe.judge('101', came(), `${method} changed without ${notification}`, notification, {
    sent: called.sent,
    received: session.inbox
      .slice(mark)
      .map(({ text }) => text)
      .join('\n'),
    timed: true,
  });
}

function itemsOf(pages: readonly WireReply[], field: string): string {
  return JSON.stringify(pages.flatMap((page) => (page.kind === 'result' ? [page.result[field]] : [])));
}
