/** Log messages. */

import { INVALID_PARAMS } from '../../../jsonrpc/codes.js';
import { isRecord } from '../../../jsonrpc/message.js';
import { META_LOG_LEVEL, META_SUBSCRIPTION_ID } from '../../../protocol/model/meta.js';
import { type Check, observing, ownCheck, watch } from '../../check.js';
import type { Use } from '../../exercise.js';
import type { Probe } from '../../probe.js';
import { outcomeOf } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';
import { sortTraffic } from '../../traffic.js';
import type { RecordedEntry } from '../../wire/recorder.js';
import { expectError } from '../expect.js';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const BAD_LEVELS = ['loud', 'INFO', 'warn', '', 7] as const;
const NO_LOGS = 'no callable tool logs (--call-tools, or --tool NAME for one that does)';

export const loggingChecks: readonly Check[] = [
  observing(
    watch('148 151', (probe) => {
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
      probe.skipAll('148 151', 'no log message was seen');
    }),
  ),
  observing(
    ownCheck('149 150', async (probe) => {
      if (!probe.declares('logging')) return probe.skipAll('149 150', 'the server does not declare logging');
      const { session } = await probe.open();
      for (const level of BAD_LEVELS) {
        const reply = await session.request('logging/setLevel', { level });
        expectError(probe, '150', reply, [INVALID_PARAMS], `The log level ${JSON.stringify(level)}`);
      }
      const loggers = probe.seen(({ logs }) => logs.length > 0).slice(0, 3);
      if (loggers.length === 0) probe.skip('149', NO_LOGS);
      const shown = new Map<Use, readonly string[]>();
      for (const level of LEVELS) {
        const set = await session.request('logging/setLevel', { level });
        const empty = set.kind === 'result' && Object.keys(set.result).every((key) => key === '_meta');
        if (!empty)
          probe.judge('149', false, `logging/setLevel ${level}: ${outcomeOf(set)}`, 'an empty result', set);
        for (const { use, logs } of loggers) {
          const entries = await logged(probe, session, use);
          judgeLevels(probe, '149', level, logs, entries);
          const levels = entries.map(levelOf);
          const hidden = levels.find((name) => shown.get(use)?.includes(name) === false);
          if (hidden !== undefined && (await isHidden(probe, session, use, level, hidden)))
            probe.judge(
              '149',
              false,
              `Messages of level ${hidden} come at the level ${level}, and not at the one below it`,
              'at a lower level everything that comes at a higher one',
              { sent: `level ${level}`, received: entries.map(({ text }) => text).join('\n'), timed: true },
            );
          shown.set(use, levels);
        }
      }
    }),
  ),
  observing(
    ownCheck('152 154', async (probe) => {
      const { session } = await probe.open();
      const quick = probe.goodCalls.filter(({ last }) => last.elapsedMs < 500);
      for (const use of quick.slice(0, 20)) {
        for (const entry of await logged(probe, session, use))
          probe.fail('152', 'A log message that no request asked for', {
            sent: use.last.sent,
            received: entry.text,
            expected: 'no log messages without logLevel',
          });
      }
      if (quick.length > 0) probe.pass('152');
      else probe.skip('152', NO_LOGS);
      for (const { use, logs } of probe.seen(({ logs }) => logs.length > 0).slice(0, 3)) {
        for (const level of LEVELS)
          judgeLevels(
            probe,
            '152',
            level,
            logs,
            await logged(probe, session, use, { [META_LOG_LEVEL]: level }),
          );
      }
      for (const level of BAD_LEVELS) {
        const reply = await session.request('tools/list', {}, { meta: { [META_LOG_LEVEL]: level } });
        expectError(probe, '154', reply, [INVALID_PARAMS], `The logLevel ${JSON.stringify(level)}`);
      }
      const [call] = quick;
      if (call === undefined) return;
      const reply = await session.request(call.method, call.params, { meta: { [META_LOG_LEVEL]: 'loud' } });
      expectError(probe, '154', reply, [INVALID_PARAMS], 'A call with an unknown logLevel');
    }),
  ),
  observing(
    ownCheck('153', async (probe) => {
      const [logger] = probe.seen(({ logs }) => logs.length > 0);
      if (logger === undefined) return probe.skip('153', NO_LOGS);
      const { session } = await probe.open();
      const [other] = probe.goodCalls.filter(({ subject }) => subject.name !== logger.use.subject.name);
      // Another request at the same time, which asked for no logs.
      const beside = other === undefined ? undefined : session.request(other.method, other.params);
      const listening = await besideListening(probe, session);
      const before = session.inbox.length;
      const { use } = logger;
      const reply = await session.request(use.method, use.params, { meta: { [META_LOG_LEVEL]: 'debug' } });
      await session.quiet(probe.settings.quietMs / 4);
      const quiet = (await beside)?.delivery?.stream;
      for (const entry of session.inbox.slice(before)) {
        const { value, stream } = entry;
        if (!isRecord(value) || value.method !== 'notifications/message') continue;
        const meta = isRecord(value.params) && isRecord(value.params._meta) ? value.params._meta : {};
        const strange =
          META_SUBSCRIPTION_ID in meta ||
          (stream !== undefined &&
            (stream === quiet || stream === listening || stream !== reply.delivery?.stream));
        probe.judge('153', !strange, 'A log message on another stream', 'the stream of its own request', {
          sent: reply.sent,
          received: entry.text,
        });
      }
      probe.skip('153', NO_LOGS);
    }),
  ),
];

/** Whether it is the level that hides them: a tool may also log something else each time. */
async function isHidden(
  probe: Probe,
  session: ValidatorSession,
  use: Use,
  level: string,
  hidden: string,
): Promise<boolean> {
  const comes = async (set: string): Promise<boolean> => {
    await session.request('logging/setLevel', { level: set });
    return (await logged(probe, session, use)).some((entry) => levelOf(entry) === hidden);
  };
  const below = LEVELS[LEVELS.indexOf(level) - 1] ?? level;
  return !(await comes(below)) && (await comes(level));
}

/** Log messages that come while a tool runs. */
async function logged(
  probe: Probe,
  session: ValidatorSession,
  use: Use,
  meta: Record<string, unknown> = {},
): Promise<readonly RecordedEntry[]> {
  const before = session.inbox.length;
  await session.request(use.method, use.params, {
    meta,
    timeoutMs: use.last.elapsedMs + probe.patient(1_000),
  });
  return session.inbox
    .slice(before)
    .filter(({ value }) => isRecord(value) && value.method === 'notifications/message');
}

function levelOf({ value }: RecordedEntry): string {
  return isRecord(value) && isRecord(value.params) ? String(value.params.level) : '';
}

/** Nothing below the level; and what stands at the level or above it still comes. */
function judgeLevels(
  probe: Probe,
  id: '149' | '152',
  level: string,
  usual: readonly string[],
  entries: readonly RecordedEntry[],
): void {
  const least = LEVELS.indexOf(level);
  const levels = entries.map(levelOf);
  const low = entries.find((_, index) => LEVELS.indexOf(levels[index] ?? '') < least);
  probe.judge(id, low === undefined, `A message below the level ${level}`, `${level} or worse only`, {
    sent: `level ${level}`,
    received: low?.text ?? '',
    // Of a call that was given up, messages may come during the next one.
    timed: true,
  });
  if (id === '152') return;
  const due = usual.filter((name) => LEVELS.indexOf(name) >= least);
  const missing = due.find((name) => !levels.includes(name));
  probe.judge(
    id,
    missing === undefined,
    `At the level ${level} the messages of level ${missing} no longer come`,
    `messages of level ${level} and worse`,
    { sent: `level ${level}`, received: entries.map(({ text }) => text).join('\n'), timed: true },
  );
}

/** A listen stream beside the call; undefined where it cannot be told apart. */
async function besideListening(probe: Probe, session: ValidatorSession): Promise<number | undefined> {
  const params = session.complete({ notifications: { toolsListChanged: true } });
  const message = { jsonrpc: '2.0', id: 'plumb-log-listen', method: 'subscriptions/listen', params };
  const headers = session.headersFor('subscriptions/listen', params);
  const delivery = await session.connection.send(JSON.stringify(message), { headers });
  await session.quiet(probe.settings.quietMs / 4);
  return delivery?.stream;
}
