/** Batches: accepted in one revision, refused in those after it. */

import { isRecord, type JsonObject, type RequestId } from '../../../jsonrpc/message.js';
import { type Check, ownCheck } from '../../check.js';
import type { Probe } from '../../probe.js';
import type { ValidatorSession } from '../../session/session.js';
import type { RecordedEntry } from '../../wire/recorder.js';
import { cheapMethod } from '../expect.js';
import { goodRequests } from '../methods.js';
import { alive, answersIn } from './messages.js';

/** One that every server knows: over HTTP it may refuse others. */
const NOTIFICATION: JsonObject = {
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId: 'plumb-never-sent' },
};
const UNKNOWN_METHOD = 'plumb/no-such-method';
const RESPONSE: JsonObject = { jsonrpc: '2.0', id: 'plumb-nobody-asked', result: {} };

export const batchChecks: readonly Check[] = [
  ownCheck('014', async (probe) => {
    const { session } = await probe.open();
    const ping = (id: RequestId): JsonObject => ({ jsonrpc: '2.0', id, method: 'ping' });
    // Where nothing comes back for two pings, nothing comes for other batches either.
    if (!(await serves(probe, session, [ping(session.nextId()), ping(session.nextId())]))) return;
    await serves(probe, session, [ping(9_001)]);
    await serves(probe, session, [NOTIFICATION, ping(session.nextId()), NOTIFICATION]);
    const unknown = { jsonrpc: '2.0', id: session.nextId(), method: UNKNOWN_METHOD };
    await serves(probe, session, [unknown, ping(session.nextId())]);
    // A prompt that takes too long alone does so in a batch.
    const fetched = probe.exercise.gets.some(({ last }) => last.kind === 'result');
    const good = goodRequests(probe).filter(({ method }) => method !== 'prompts/get' || fetched);
    const all = good.map(({ method, params }) => ({
      jsonrpc: '2.0',
      id: session.nextId(),
      method,
      params,
    }));
    await serves(probe, session, all);
  }),
  ownCheck('015', async (probe) => {
    for (const companion of [undefined, { jsonrpc: '2.0', id: 'beside', method: 'ping' }]) {
      const { session } = await probe.open({ handshake: 'none' });
      const request = initializing(probe, session);
      const batch = JSON.stringify(companion === undefined ? [request] : [request, companion]);
      const { answers } = await sendBatch(probe, session, batch);
      const accepted = answers
        .flatMap(({ value }) => answersIn(value))
        .some(({ id, result }) => id === request.id && isRecord(result));
      probe.judge('015', !accepted, 'initialize inside a batch was accepted', 'an error', {
        sent: batch,
        received: texts(answers),
      });
    }
  }),
  ownCheck('016', async (probe) => {
    // Alone: the late answer to an earlier call is no answer to the batch.
    const { session } = await probe.open();
    const other = { ...NOTIFICATION, params: { requestId: 'plumb-never-sent-either' } };
    for (const members of [[NOTIFICATION, other], [NOTIFICATION], [RESPONSE, RESPONSE]]) {
      const batch = JSON.stringify(members);
      const { answers, status } = await sendBatch(probe, session, batch);
      // A response that answers nothing may be refused.
      const refused = members.includes(RESPONSE) && (status ?? 0) >= 400;
      const ok = (answers.length === 0 && (status === undefined || status === 202)) || refused;
      probe.judge(
        '016',
        ok,
        'A batch without requests was answered',
        'nothing (HTTP 202 without a body)',
        withStatus(batch, answers, status),
      );
    }
  }),
  ownCheck('017', async (probe) => {
    const { session } = await probe.open();
    const request = (): JsonObject => ({
      jsonrpc: '2.0',
      id: session.nextId(),
      method: cheapMethod(probe),
      params: session.complete({}),
    });
    for (const members of [[request()], [request(), request()], [NOTIFICATION], []]) {
      const batch = JSON.stringify(members);
      const { answers, status } = await sendBatch(probe, session, batch, 0, isRefusal);
      const accepted = answers
        .flatMap(({ value }) => answersIn(value))
        .some(({ result }) => isRecord(result));
      const served = accepted || (status !== undefined && status < 400);
      probe.judge(
        '017',
        !served,
        `A batch of ${members.length} was served`,
        'an error (HTTP 400)',
        withStatus(batch, answers, status),
      );
    }
    await alive(probe, '017', session);
  }),
];

function initializing(probe: Probe, session: ValidatorSession): JsonObject {
  return {
    jsonrpc: '2.0',
    id: session.nextId(),
    method: 'initialize',
    params: { protocolVersion: probe.revision.version, capabilities: {}, clientInfo: session.clientInfo },
  };
}

/** Every request of the batch gets one result, and nothing else gets an answer. False where nothing came at all. */
async function serves(
  probe: Probe,
  session: ValidatorSession,
  members: readonly JsonObject[],
): Promise<boolean> {
  const batch = JSON.stringify(members);
  const requests = members.filter((member) => 'method' in member && 'id' in member);
  const { answers, status } = await sendBatch(probe, session, batch, requests.length);
  const given = answers.flatMap(({ value }) => answersIn(value));
  // An unknown method is refused, and does not keep the others from being served.
  const results = requests.filter(({ id, method }) =>
    given.some(
      (answer) => answer.id === id && isRecord(method === UNKNOWN_METHOD ? answer.error : answer.result),
    ),
  );
  const shown = withStatus(batch, answers, status);
  probe.judge(
    '014',
    results.length === requests.length,
    `${results.length} of ${requests.length} requests of a batch were answered`,
    'a result for each request',
    { ...shown, timed: given.length === 0 },
  );
  const known = new Set(members.map(({ id }) => id));
  const extra = given.filter(({ id }) => !known.has(id));
  probe.judge(
    '014',
    extra.length === 0 && given.length <= requests.length,
    'A member of a batch that is no request was answered',
    'answers to the requests alone',
    shown,
  );
  return answers.length > 0 || status !== undefined;
}

/** An error is all that is wanted: there is nothing more to wait for. */
function isRefusal(answer: JsonObject): boolean {
  return isRecord(answer.error);
}

/** How long more than a refusal may take to come. */
const AFTER_REFUSAL_MS = 50;

async function sendBatch(
  probe: Probe,
  session: ValidatorSession,
  batch: string,
  expected = 0,
  enough: (answer: JsonObject) => boolean = () => false,
): Promise<{ answers: readonly RecordedEntry[]; status: number | undefined }> {
  const before = session.inbox.length;
  const headers = session.headersFor(cheapMethod(probe), session.complete({}));
  const delivery = await session.connection.send(batch, { hostile: true, headers });
  const next = session.nextId();
  const answers = (): readonly RecordedEntry[] =>
    session.inbox
      .slice(before)
      .filter(
        ({ value }) => Array.isArray(value) || (isRecord(value) && !('method' in value) && value.id !== next),
      );
  const arrived = (): number => answers().flatMap(({ value }) => answersIn(value)).length;
  // Answers that are due may take their time, but not much more than that to the next request of the connection;
  // whether more come is seen in the quiet after them.
  let deadline = performance.now() + probe.settings.timeoutMs;
  const overtaken =
    expected === 0 || session.connection.kind === 'http'
      ? undefined
      : session.request(cheapMethod(probe), {}, { id: next }).then(({ kind }) => {
          const soon = performance.now() + probe.patient(probe.settings.quietMs * 2);
          if (kind !== 'silence') deadline = Math.min(deadline, soon);
        });
  while (arrived() < expected && performance.now() < deadline && !session.connection.ended)
    await session.quiet(10);
  const enoughBy = performance.now() + probe.settings.quietMs;
  const isEnough = (): boolean => answers().some(({ value }) => answersIn(value).some(enough));
  while (performance.now() < enoughBy && !isEnough()) await session.quiet(10);
  if (isEnough()) await session.quiet(AFTER_REFUSAL_MS);
  await overtaken;
  return { answers: answers(), status: session.connection.kind === 'http' ? delivery?.status : undefined };
}

function texts(answers: readonly RecordedEntry[]): string {
  return answers.map(({ text }) => text).join('\n') || '(nothing)';
}

function withStatus(
  sent: string,
  answers: readonly RecordedEntry[],
  status: number | undefined,
): { sent: string; received: string } {
  return { sent, received: `${status === undefined ? '' : `HTTP ${status}\n`}${texts(answers)}` };
}
