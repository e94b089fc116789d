/** Nothing is used that was not negotiated: a client that can do nothing is asked for nothing. */

import { isRecord } from '../../../jsonrpc/message.js';
import { type Check, check } from '../../check.js';
import { converse } from '../../exercise.js';

const FEATURE: Readonly<Record<string, readonly string[]>> = {
  'sampling/createMessage': ['155'],
  'roots/list': ['168'],
  'elicitation/create': ['173'],
};

export const negotiatedChecks: readonly Check[] = [
  check('054 056 155 168 173', async (probe) => {
    const asking = probe.exercise.calls.filter(({ rounds }) => rounds.length > 0);
    const { session } = await probe.open({ capabilities: {}, answer: () => null });
    for (const use of asking) {
      const timeoutMs = Math.min(probe.settings.timeoutMs, probe.settings.quietMs * 4);
      // Only those that asked before, and one more: a tool that never asks proves nothing.
      if (!probe.shared.asked.length && use !== asking[0]) continue;
      await converse(session, use.method, use.subject, use.params, timeoutMs);
    }
    await session.quiet(probe.settings.quietMs / 2);
    const could = probe.shared.asked.length > 0;
    for (const { method, entry } of session.asked) {
      if (method === 'ping') continue;
      const evidence = {
        received: entry.text,
        expected: 'no such request to a client that declared no capabilities',
      };
      for (const id of ['054', '056', ...(FEATURE[method] ?? [])]) {
        probe.fail(id, `The server sent ${method} to a client without that capability`, evidence);
      }
    }
    for (const id of ['054', '056']) probe.pass(id);
    for (const [method, ids] of Object.entries(FEATURE)) {
      for (const id of ids) {
        if (could && probe.shared.asked.some((asked) => asked.method === method)) probe.pass(id);
        else probe.skip(id, `no callable tool uses ${method}`);
      }
    }
  }),
  check('128', async (probe) => {
    const resources = probe.catalogue.capabilities.resources;
    if (isRecord(resources) && resources.subscribe === true)
      return probe.skip('128', 'the server declares subscriptions');
    const session = await probe.session();
    const reply = await session.request('resources/subscribe', { uri: 'plumb://nothing' });
    const ok = reply.kind === 'error' && reply.code === -32601;
    probe.judge(
      '128',
      ok,
      'resources/subscribe without the capability was not refused as unknown',
      'error -32601',
      reply,
    );
  }),
];
