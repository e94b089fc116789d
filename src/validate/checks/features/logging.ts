/** Log messages. */

import { INVALID_PARAMS } from '../../../jsonrpc/codes.js';
import { isRecord } from '../../../jsonrpc/message.js';
import { META_LOG_LEVEL } from '../../../protocol/index.js';
import { type Check, check } from '../../check.js';
import { outcomeOf } from '../../session/reply.js';
import { sortTraffic } from '../../traffic.js';
import { expectError } from '../expect.js';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export const loggingChecks: readonly Check[] = [
  check('148 151', (probe) => {
    const logs = sortTraffic(probe.recorder.entries).notifications.filter(
      ({ method }) => method === 'notifications/message',
    );
    for (const { params, entry } of logs) {
      const received = entry.text;
      probe.judge(
        '148',
        probe.declares('logging'),
        'Log messages without the logging capability',
        '"logging" in the capabilities',
        { received },
      );
      const ok = LEVELS.includes(String(params.level)) && 'data' in params;
      probe.judge(
        '151',
        ok,
        'A log message without a known level and data',
        `one of ${LEVELS.join(', ')}, and data`,
        { received },
      );
    }
    for (const id of ['148', '151']) probe.skip(id, 'no log message was seen');
  }),
  check('149 150', async (probe) => {
    if (!probe.declares('logging')) {
      for (const id of ['149', '150']) probe.skip(id, 'the server does not declare logging');
      return;
    }
    const session = await probe.session();
    expectError(
      probe,
      '150',
      await session.request('logging/setLevel', { level: 'loud' }),
      [INVALID_PARAMS],
      'An unknown log level',
    );
    const set = await session.request('logging/setLevel', { level: 'critical' });
    probe.judge('149', set.kind === 'result', `logging/setLevel: ${outcomeOf(set)}`, 'an empty result', set);
    const before = session.inbox.length;
    for (const { method, params, last } of probe.exercise.calls.filter(
      ({ last }) => last.kind === 'result' && last.elapsedMs < 500,
    )) {
      await session.request(method, params, { timeoutMs: last.elapsedMs + 1_000 });
    }
    for (const { value, text } of session.inbox.slice(before)) {
      if (!isRecord(value) || value.method !== 'notifications/message' || !isRecord(value.params)) continue;
      const severe = LEVELS.indexOf(String(value.params.level)) >= LEVELS.indexOf('critical');
      probe.judge(
        '149',
        severe,
        `A message of level ${String(value.params.level)} after setLevel critical`,
        'critical or worse only',
        { sent: set.sent, received: text },
      );
    }
    await session.request('logging/setLevel', { level: 'debug' });
  }),
  check('152 154', async (probe) => {
    const traffic = sortTraffic(probe.recorder.entries);
    const logs = traffic.notifications.filter(({ method }) => method === 'notifications/message');
    const asked = traffic.exchanges.some(
      ({ params }) => isRecord(params._meta) && META_LOG_LEVEL in params._meta,
    );
    if (!asked) {
      probe.judge(
        '152',
        logs.length === 0,
        'A log message that no request asked for',
        'no log messages without logLevel',
        { received: logs[0]?.entry.text ?? '' },
      );
    }
    const session = await probe.session();
    const reply = await session.request('tools/list', {}, { meta: { [META_LOG_LEVEL]: 'loud' } });
    expectError(probe, '154', reply, [INVALID_PARAMS], 'An unknown logLevel');
  }),
  check('153', async (probe) => {
    const session = await probe.session();
    const before = session.inbox.length;
    for (const { method, params, last } of probe.exercise.calls.filter(
      ({ last }) => last.kind === 'result' && last.elapsedMs < 500,
    )) {
      await session.request(method, params, {
        meta: { [META_LOG_LEVEL]: 'debug' },
        timeoutMs: last.elapsedMs + 1_000,
      });
      for (const entry of session.inbox.slice(before)) {
        if (!isRecord(entry.value) || entry.value.method !== 'notifications/message') continue;
        const meta =
          isRecord(entry.value.params) && isRecord(entry.value.params._meta) ? entry.value.params._meta : {};
        const tagged = Object.keys(meta).some((key) => key.endsWith('/subscriptionId'));
        probe.judge('153', !tagged, 'A log message on a listen stream', 'the stream of the request', {
          received: entry.text,
        });
      }
    }
    probe.skip('153', 'no callable tool logs');
  }),
];
