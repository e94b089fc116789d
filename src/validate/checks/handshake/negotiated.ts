/** Nothing is used that was not negotiated: a client is asked only for what it declared. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { type Check, check, observing, ownCheck } from '../../check.js';
import { converse } from '../../exercise.js';
import type { Effects } from '../../observe.js';
import type { Probe } from '../../probe.js';
import type { Asked } from '../../session/session.js';

const FEATURES: readonly (readonly [method: string, capability: string, id: string])[] = [
  ['sampling/createMessage', 'sampling', '155'],
  ['roots/list', 'roots', '168'],
  ['elicitation/create', 'elicitation', '173'],
];

export const negotiatedChecks: readonly Check[] = [
  observing(
    ownCheck('054 056 155 168 173', async (probe) => {
      const asking = probe.seen(({ asks }) => asks.size > 0);
      const [other] = probe.effects;
      // A tool that never asks proves nothing; one is called all the same, for servers that ask whoever comes.
      const tried = asking.length > 0 ? asking : other === undefined ? [] : [other];
      judgeAsked(probe, await askedOf(probe, {}, tried), []);
      const seen = new Set(probe.shared.asked.map(({ method }) => method));
      for (const [method, capability, id] of FEATURES) {
        if (!seen.has(method)) {
          probe.skip(id, `no callable tool uses ${method}`);
          continue;
        }
        const { [capability]: _, ...others } = probe.shared.capabilities;
        const using = tried.filter(({ asks }) => asks.has(method));
        const asked = await askedOf(probe, others, using);
        judgeAsked(probe, asked, Object.keys(others));
        probe.pass(id);
      }
      if (tried.length > 0) probe.pass('054', '056');
      else probe.skipAll('054 056', 'no tool may be called (--tool NAME or --call-tools)');
    }),
  ),
  check('128', async (probe) => {
    const resources = probe.catalogue.capabilities.resources;
    if (isRecord(resources) && resources.subscribe === true)
      return probe.skip('128', 'the server declares subscriptions');
    const session = await probe.session();
    const uri = probe.catalogue.resources[0]?.uri ?? 'plumb://nothing';
    const reply = await session.request('resources/subscribe', { uri });
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

/** What the server asks of a client with these capabilities, by itself and while these tools run. */
async function askedOf(
  probe: Probe,
  capabilities: JsonObject,
  tools: readonly Effects[],
): Promise<readonly Asked[]> {
  const { session } = await probe.open({ capabilities, answer: () => null });
  const timeoutMs = Math.min(probe.settings.timeoutMs, probe.settings.quietMs * 4);
  await Promise.all(
    tools.slice(0, 8).map(({ use }) => converse(session, use.method, use.subject, use.params, timeoutMs)),
  );
  await session.quiet(probe.settings.quietMs / 2);
  return session.asked;
}

function judgeAsked(probe: Probe, asked: readonly Asked[], declared: readonly string[]): void {
  for (const { method, entry } of asked) {
    const feature = FEATURES.find(([name]) => name === method);
    if (feature === undefined || declared.includes(feature[1])) continue;
    const evidence = {
      received: entry.text,
      expected: `no such request to a client that declared ${declared.join(' and ') || 'no capabilities'}`,
    };
    for (const id of ['054', '056', feature[2]])
      probe.fail(id, `The server sent ${method} to a client without that capability`, evidence);
  }
}
