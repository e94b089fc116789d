/** List changes of the handshake era, and what may be sent without being asked. */

import { isRecord } from '../../../jsonrpc/message.js';
import { listPages, textOf } from '../../catalogue.js';
import { type Check, check } from '../../check.js';
import type { Probe } from '../../probe.js';
import type { Reply } from '../../session/reply.js';
import { sortTraffic } from '../../traffic.js';

const KINDS = [
  ['tools', 'notifications/tools/list_changed', 'tools/list', 'tools'],
  ['prompts', 'notifications/prompts/list_changed', 'prompts/list', 'prompts'],
  ['resources', 'notifications/resources/list_changed', 'resources/list', 'resources'],
] as const;

function announces(probe: Probe, capability: string): boolean {
  const declared = probe.catalogue.capabilities[capability];
  return isRecord(declared) && declared.listChanged === true;
}

export const changeChecks: readonly Check[] = [
  check('101', async (probe) => {
    if (probe.stateless) return probe.skip('101', 'changes travel on listen streams (293)');
    const session = await probe.session();
    const toggles = probe.tools.filter(
      (tool) =>
        /toggle|add|register|enable|trigger/i.test(textOf(tool, 'name')) && noArguments(tool.inputSchema),
    );
    for (const tool of toggles.slice(0, 2)) {
      await session.request(
        'tools/call',
        { name: textOf(tool, 'name'), arguments: {} },
        { timeoutMs: 2_000 },
      );
    }
    await session.quiet(probe.settings.quietMs);
    const sent = new Set(
      sortTraffic(probe.recorder.of(session.connection.number)).notifications.map(({ method }) => method),
    );
    for (const [capability, notification, method, field] of KINDS) {
      if (!announces(probe, capability)) continue;
      const pages = await listPages(session, method);
      const reply = pages.at(-1);
      if (reply === undefined) continue;
      if (itemsOf(pages, field) === itemsOf(probe.catalogue.pages.get(method) ?? [], field)) continue;
      probe.judge(
        '101',
        sent.has(notification),
        `${method} changed without ${notification}`,
        notification,
        reply,
      );
    }
    for (const tool of toggles.slice(0, 2)) {
      await session.request(
        'tools/call',
        { name: textOf(tool, 'name'), arguments: {} },
        { timeoutMs: 2_000 },
      );
    }
    probe.skip('101', 'no list changed');
  }),
  check('102 298', (probe) => {
    const { notifications } = sortTraffic(probe.recorder.entries);
    probe.pass('102', '298');
    for (const { method, params, entry } of notifications) {
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
      const tagged = 'io.modelcontextprotocol/subscriptionId' in meta;
      probe.judge(
        '298',
        tagged,
        `${method} outside a listen stream`,
        'list changes only while a client listens',
        { received: entry.text },
      );
    }
  }),
];

function itemsOf(pages: readonly Reply[], field: string): string {
  return JSON.stringify(pages.flatMap((page) => (page.kind === 'result' ? [page.result[field]] : [])));
}

function noArguments(schema: unknown): boolean {
  return isRecord(schema) && !(Array.isArray(schema.required) && schema.required.length > 0);
}
