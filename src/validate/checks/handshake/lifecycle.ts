/** How a session of the handshake era begins. */

import { isRecord } from '../../../jsonrpc/message.js';
import { findRevision, HANDSHAKE_REVISIONS } from '../../../protocol/index.js';
import { type Check, check } from '../../check.js';
import { initialize } from '../../session/open.js';
import { outcomeOf } from '../../session/reply.js';
import { stillAnswers } from '../expect.js';

const ANCIENT = '1999-01-01';
const ALLOWED_EARLY: ReadonlySet<string> = new Set(['ping', 'notifications/message']);

export const lifecycleChecks: readonly Check[] = [
  check('045', async (probe) => {
    const { greeting } = await probe.open({ handshake: 'initialize' });
    if (greeting === undefined) return;
    const version = greeting.kind === 'result' ? greeting.result.protocolVersion : undefined;
    const ok = version === probe.revision.version;
    probe.judge(
      '045',
      ok,
      `A supported version was answered with ${JSON.stringify(version)}`,
      probe.revision.version,
      greeting,
    );
  }),
  check('046 047', async (probe) => {
    const { greeting } = await probe.open({ handshake: 'initialize', version: ANCIENT });
    if (greeting === undefined) return;
    const version = greeting.kind === 'result' ? greeting.result.protocolVersion : undefined;
    const known = typeof version === 'string' && version !== ANCIENT;
    probe.judge(
      '046',
      known,
      `An unknown version was answered with ${known ? version : outcomeOf(greeting)}`,
      'a result with a version that the server supports',
      greeting,
    );
    const newest = probe.spoken.filter((revision) => HANDSHAKE_REVISIONS.includes(revision)).at(-1);
    const offered = typeof version === 'string' ? findRevision(version) : undefined;
    if (!known || newest === undefined) return;
    const latest = offered === undefined || probe.spoken.indexOf(offered) >= probe.spoken.indexOf(newest);
    probe.judge(
      '047',
      latest,
      `The server offers ${version} though it speaks ${newest.version}`,
      newest.version,
      greeting,
    );
  }),
  check('049', async (probe) => {
    const greeting = probe.greeting;
    if (greeting === undefined || greeting.kind !== 'result') return;
    const { protocolVersion, capabilities, serverInfo } = greeting.result;
    const named =
      isRecord(serverInfo) && typeof serverInfo.name === 'string' && typeof serverInfo.version === 'string';
    const ok = typeof protocolVersion === 'string' && isRecord(capabilities) && named;
    probe.judge(
      '049',
      ok,
      'The initialize result is not complete',
      'protocolVersion, capabilities, serverInfo with name and version',
      greeting,
    );
  }),
  check('052', async (probe) => {
    const { session } = await probe.open({ handshake: 'initialize' });
    await session.quiet(probe.settings.quietMs);
    const early = session.inbox.filter(
      ({ value }) =>
        isRecord(value) &&
        typeof value.method === 'string' &&
        'id' in value &&
        !ALLOWED_EARLY.has(value.method),
    );
    probe.judge(
      '052',
      early.length === 0,
      'The server sent requests before notifications/initialized',
      'only ping and log messages',
      {
        received: early.map(({ text }) => text).join('\n'),
      },
    );
  }),
  check('057', async (probe) => {
    const { session } = await probe.open({ handshake: 'none' });
    await session.request('tools/list', {}, { timeoutMs: probe.settings.quietMs * 2, hostile: true });
    if (session.connection.ended) {
      probe.fail('057', `A request before initialize ended the server: ${session.connection.epitaph}`, {
        sent: 'tools/list before initialize',
        received: session.connection.epitaph,
        expected: 'an error, or no answer, and the server stays',
      });
      return;
    }
    const greeting = await initialize(session, probe.revision.version);
    probe.judge(
      '057',
      greeting.kind === 'result',
      'After an early request initialize is no longer served',
      'an initialize result',
      greeting,
    );
  }),
  check('081', async (probe) => {
    const session = await probe.session();
    const slow = probe.exercise.calls.find(({ last }) => last.elapsedMs > probe.settings.quietMs);
    const running =
      slow === undefined
        ? undefined
        : session.request(slow.method, slow.params, { timeoutMs: probe.settings.quietMs * 4 });
    const reply = await stillAnswers(probe, session);
    const meta = reply.kind === 'result' ? Object.keys(reply.result).filter((key) => key !== '_meta') : ['?'];
    const prompt = reply.elapsedMs < 2_000;
    probe.judge(
      '081',
      reply.kind === 'result' && meta.length === 0 && prompt,
      `ping: ${outcomeOf(reply)} after ${Math.round(reply.elapsedMs)} ms`,
      'an empty result at once',
      reply,
    );
    await running;
  }),
];
