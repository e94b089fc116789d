/** How a session of the handshake era begins. */

import { isRecord } from '../../../jsonrpc/message.js';
import { findRevision, HANDSHAKE_REVISIONS, mayBeVersion } from '../../../protocol/revisions/index.js';
import { acrossRevisions, type Check, check, OVER_STDIO, ownCheck } from '../../check.js';
import type { Probe } from '../../probe.js';
import { initialize, openStandalone } from '../../session/open.js';
import { outcomeOf, type WireReply } from '../../session/reply.js';
import { stillAnswers } from '../expect.js';

const UNKNOWN_VERSIONS = ['1999-01-01', '2099-12-31', 'plumb'] as const;
const ALLOWED_EARLY: ReadonlySet<string> = new Set(['ping', 'notifications/message']);
const PROMPT_MS = 2_000;

export const lifecycleChecks: readonly Check[] = [
  check('045', async (probe) => {
    const greeting = probe.greeting ?? (await probe.open({ handshake: 'initialize' })).greeting;
    if (greeting === undefined) return;
    const version = greeting.kind === 'result' ? greeting.result.protocolVersion : undefined;
    probe.judge(
      '045',
      version === probe.revision.version,
      `A supported version was answered with ${JSON.stringify(version)}`,
      probe.revision.version,
      greeting,
    );
  }),
  acrossRevisions(
    ownCheck('046 047', async (probe) => {
      // Whatever revision is judged, the question and its answer are the same.
      const greetings = UNKNOWN_VERSIONS.map((version) =>
        probe.once(`initialize ${version}`, async () => {
          const opened = await probe.open({ handshake: 'initialize', version });
          return opened.greeting ?? initialize(opened.session, version);
        }),
      );
      await Promise.allSettled(greetings);
      for (const [index, version] of UNKNOWN_VERSIONS.entries()) {
        const greeting = await greetings[index];
        if (greeting !== undefined) await judgeOffer(probe, version, greeting);
      }
    }),
  ),
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
  ownCheck('052', async (probe) => {
    const { session, greeting } = await probe.open({ handshake: 'initialize' });
    // Over HTTP a server may have no other way to say anything yet.
    if (greeting?.kind === 'result') await openStandalone(session);
    await session.quiet(probe.settings.quietMs);
    // Also what came before there was a session to hear it.
    const early = probe.recorder
      .of(session.connection.number)
      .filter(
        ({ value, direction }) =>
          direction === 'received' &&
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
      { received: early.map(({ text }) => text).join('\n') },
    );
  }),
  ownCheck('057', async (probe) => {
    const { session } = await probe.open({ handshake: 'none' });
    for (const method of ['tools/list', 'tools/call', 'resources/list']) {
      const params = method === 'tools/call' ? (probe.goodCall?.params ?? {}) : {};
      const early = await session.request(method, params, {
        timeoutMs: probe.settings.quietMs * 2,
        hostile: true,
      });
      // Over HTTP a server without sessions cannot know what came before.
      const knows = probe.transport !== 'http' || probe.greeting?.delivery?.headers['mcp-session-id'];
      if (knows)
        probe.judge(
          '057',
          early.kind !== 'result',
          `${method} before initialize was served`,
          'an error, or no answer',
          early,
        );
      if (session.connection.ended) return;
    }
    const greeting = await initialize(session, probe.revision.version);
    probe.judge(
      '057',
      greeting.kind === 'result',
      'After early requests initialize is no longer served',
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
    judgePing(probe, await stillAnswers(probe, session));
    judgePing(probe, await session.request('ping', {}, { meta: { 'com.example/x': 1 } }));
    await running;
  }),
  // The only request that a client may send before the handshake.
  ownCheck(
    '081',
    async (probe) => {
      const { session } = await probe.open({ handshake: 'none' });
      // How long it takes to start says nothing about pings.
      judgePing(probe, { ...(await session.request('ping', {}, { bare: true })), elapsedMs: 0 });
    },
    OVER_STDIO,
  ),
];

function judgePing(probe: Probe, reply: WireReply): void {
  const fields = reply.kind === 'result' ? Object.keys(reply.result).filter((key) => key !== '_meta') : ['?'];
  const slow = reply.elapsedMs >= probe.patient(PROMPT_MS);
  probe.judge(
    '081',
    reply.kind === 'result' && fields.length === 0 && !slow,
    `ping: ${outcomeOf(reply)} after ${Math.round(reply.elapsedMs)} ms`,
    'an empty result at once',
    { ...reply, timed: slow || reply.kind === 'silence' },
  );
}

/** What is offered for an unknown version has to be a version that the server itself accepts. */
async function judgeOffer(probe: Probe, asked: string, greeting: WireReply): Promise<void> {
  const version = greeting.kind === 'result' ? greeting.result.protocolVersion : undefined;
  const named = typeof version === 'string' && version !== asked;
  const known = named && (isHandshakeRevision(version) || (await accepts(probe, version)));
  probe.judge(
    '046',
    known,
    `The version ${asked} was answered with ${named ? JSON.stringify(version) : outcomeOf(greeting)}`,
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
    `The server offers ${String(version)} though it speaks ${newest.version}`,
    newest.version,
    greeting,
  );
}

/** What a handshake can end with; the newest revision has none. */
function isHandshakeRevision(version: string): boolean {
  return HANDSHAKE_REVISIONS.some((revision) => revision.version === version);
}

/** A version that we do not know may be one of the server's own, if it can exist and is echoed. */
async function accepts(probe: Probe, version: string): Promise<boolean> {
  if (!mayBeVersion(version)) return false;
  const { greeting } = await probe.open({ handshake: 'initialize', version });
  return greeting?.kind === 'result' && greeting.result.protocolVersion === version;
}
