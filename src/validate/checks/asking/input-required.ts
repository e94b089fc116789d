/** Multi round-trip requests: questions inside results. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { textOf } from '../../catalogue.js';
import { type Check, observing, ownCheck, watch } from '../../check.js';
import { retryParams, type Use } from '../../exercise.js';
import type { Probe } from '../../probe.js';
import { answerTo } from '../../session/identity.js';
import { outcomeOf, type WireReply } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';
import { sortTraffic } from '../../traffic.js';

const ASKS: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);
const NEEDS: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

function interim(result: JsonObject | undefined): result is JsonObject {
  return result?.resultType === 'input_required';
}

/** Uses whose first answer asked and carried a state. */
function stateful(probe: Probe): readonly Use[] {
  const all = [...probe.exercise.calls, ...probe.exercise.gets, ...probe.exercise.reads];
  return all.filter(
    ({ rounds: [first], last }) =>
      first?.kind === 'result' &&
      interim(first.result) &&
      typeof first.result.requestState === 'string' &&
      last.kind === 'result' &&
      last !== first,
  );
}

export const inputRequiredChecks: readonly Check[] = [
  watch('271 272 273', (probe) => {
    let seen = false;
    for (const { method, result, response } of sortTraffic(probe.recorder.entries).exchanges) {
      if (!interim(result)) continue;
      seen = true;
      const received = response?.text ?? '';
      probe.judge(
        '271',
        probe.revision.askableMethods.has(method),
        `${method} was answered with input_required`,
        'a complete result',
        { received },
      );
      const { inputRequests, requestState } = result;
      probe.judge(
        '272',
        ((isRecord(inputRequests) && Object.keys(inputRequests).length > 0) ||
          typeof requestState === 'string') &&
          (inputRequests === undefined || isRecord(inputRequests)) &&
          (requestState === undefined || typeof requestState === 'string'),
        'input_required without inputRequests and requestState',
        'at least one of them',
        { received },
      );
      for (const [key, request] of Object.entries(isRecord(inputRequests) ? inputRequests : {})) {
        const ok =
          isRecord(request) &&
          ASKS.has(String(request.method)) &&
          !('jsonrpc' in request) &&
          !('id' in request);
        probe.judge(
          '273',
          ok,
          `inputRequests.${key} is none of the three kinds, or has an envelope`,
          '{method, params} of elicitation, sampling or roots',
          { received },
        );
      }
    }
    if (seen) probe.pass('271');
    for (const id of ['271', '272', '273']) probe.skip(id, 'nothing here asks for input');
  }),
  watch('274', (probe) => {
    for (const { params, result, response, request } of sortTraffic(probe.recorder.entries).exchanges) {
      if (!interim(result) || !isRecord(result.inputRequests)) continue;
      const meta = isRecord(params._meta) ? params._meta : {};
      const declared = meta['io.modelcontextprotocol/clientCapabilities'];
      const capabilities = isRecord(declared) ? declared : {};
      for (const asked of Object.values(result.inputRequests)) {
        const method = isRecord(asked) ? textOf(asked, 'method') : '';
        const ok =
          (NEEDS[method] === undefined || NEEDS[method] in capabilities) && modeDeclared(asked, capabilities);
        probe.judge(
          '274',
          ok,
          `${method} was requested of a client that does not declare it`,
          'only declared capabilities',
          { sent: request.text, received: response?.text ?? '' },
        );
      }
    }
  }),
  ownCheck('275 276 277 278 279', async (probe) => {
    const uses = stateful(probe);
    const [use] = uses;
    if (use === undefined)
      return probe.skipAll('275 276 277 278 279', 'no callable tool asks with a requestState');
    const { session } = await probe.open();
    await judgeState(probe, session, use, uses);
    await judgeResponses(probe, session, use);
  }),
  observing(
    ownCheck('190', async (probe) => {
      const eliciting = probe.seen(({ asks }) => asks.has('elicitation/create')).slice(0, 3);
      if (eliciting.length === 0)
        return probe.skip('190', 'no callable tool elicits (--call-tools, or --tool NAME for one that does)');
      for (const action of ['decline', 'cancel']) {
        const answer = (method: string, params: JsonObject): JsonObject | undefined =>
          method === 'elicitation/create' ? { action } : answerTo(method, params);
        const { session } = await probe.open({ answer });
        for (const { use } of eliciting) {
          const reply = probe.stateless
            ? await declined(session, use, action)
            : await session.request(use.method, use.params, { timeoutMs: probe.patient(2_000) });
          // The handshake era leaves open how a refusal ends, as long as it ends.
          const handled = reply?.kind === 'result' || (!probe.stateless && reply?.kind === 'error');
          if (reply === undefined) continue;
          probe.judge(
            '190',
            handled,
            `${textOf(use.subject, 'name')} after ${action}: ${outcomeOf(reply)}`,
            probe.stateless ? 'a result' : 'an answer',
            reply,
          );
        }
      }
    }),
  ),
];

/** Asks again, and refuses every elicitation. */
async function declined(session: ValidatorSession, use: Use, action: string): Promise<WireReply | undefined> {
  const fresh = await session.request(use.method, use.params);
  const retry = retryParams(use.params, fresh);
  if (retry === undefined || !isRecord(retry.inputResponses) || fresh.kind !== 'result') return undefined;
  const asked = isRecord(fresh.result.inputRequests) ? fresh.result.inputRequests : {};
  const inputResponses = Object.fromEntries(
    Object.entries(retry.inputResponses).map(([key, given]) => {
      const request = asked[key];
      const elicits = isRecord(request) && request.method === 'elicitation/create';
      return [key, elicits ? { action } : given];
    }),
  );
  return session.request(use.method, { ...retry, inputResponses });
}

/** States that were altered, and states of other requests. */
async function judgeState(
  probe: Probe,
  session: ValidatorSession,
  use: Use,
  uses: readonly Use[],
): Promise<void> {
  const fresh = await session.request(use.method, use.params);
  const retry = retryParams(use.params, fresh);
  if (retry === undefined || fresh.kind !== 'result')
    return probe.skip('275', 'the tool did not ask a second time');
  const state = String(fresh.result.requestState);
  for (const altered of alterations(state)) {
    const reply = await session.request(use.method, { ...retry, requestState: altered });
    const rejected = reply.kind === 'error' || (reply.kind === 'result' && reply.result.isError === true);
    probe.judge('275', rejected, `An altered requestState: ${outcomeOf(reply)}`, 'an error', reply);
  }
  const { inputResponses } = retry;
  const moved: [string, string, JsonObject][] = [];
  const args = isRecord(use.params.arguments) ? use.params.arguments : {};
  if (use.method === 'tools/call')
    moved.push(['other arguments', use.method, { ...use.params, arguments: { ...args, plumbOther: 'x' } }]);
  const others = [
    ...uses.filter(({ subject }) => subject !== use.subject),
    ...probe.exercise.calls.filter(({ subject }) => subject.name !== use.subject.name),
  ];
  for (const other of others.slice(0, 2))
    moved.push([textOf(other.subject, 'name') || 'another request', other.method, other.params]);
  for (const [what, method, params] of moved) {
    const reply = await session.request(method, { ...params, inputResponses, requestState: state });
    const refused = reply.kind !== 'result' || reply.result.isError === true || interim(reply.result);
    probe.judge('276', refused, `A requestState was accepted for ${what}`, 'an error', reply);
  }
}

async function judgeResponses(probe: Probe, session: ValidatorSession, use: Use): Promise<void> {
  const ask = async (): Promise<JsonObject | undefined> =>
    retryParams(use.params, await session.request(use.method, use.params));
  const retry = await ask();
  if (!isRecord(retry?.inputResponses) || Object.keys(retry.inputResponses).length === 0) return;
  for (const [key] of Object.entries(retry.inputResponses)) {
    const again = await ask();
    if (!isRecord(again?.inputResponses)) return;
    const { [key]: _, ...others } = again.inputResponses;
    const without = await session.request(use.method, { ...again, inputResponses: others });
    probe.judge(
      '277',
      without.kind === 'result' && interim(without.result),
      `Without the answer to ${key}: ${outcomeOf(without)}`,
      'another input_required',
      without,
    );
  }
  const again = (await ask()) ?? retry;
  const extra = await session.request(use.method, {
    ...again,
    inputResponses: {
      ...(isRecord(again.inputResponses) ? again.inputResponses : {}),
      'plumb-extra': { action: 'accept' },
    },
  });
  probe.judge(
    '278',
    extra.kind === 'result' && extra.result.isError !== true,
    `An answer that was not requested: ${outcomeOf(extra)}`,
    'it is ignored',
    extra,
  );
  for (const malformed of ['not an object', 17, [], [{ action: 'accept' }]]) {
    const params = { ...((await ask()) ?? retry), inputResponses: malformed };
    const reply = await session.request(use.method, params, { hostile: true });
    probe.judge(
      '279',
      reply.kind === 'error',
      `inputResponses ${JSON.stringify(malformed)}: ${outcomeOf(reply)}`,
      'an error',
      reply,
    );
  }
}

/** Whether the mode of an elicitation, and tools for a model, were declared. */
function modeDeclared(asked: unknown, capabilities: JsonObject): boolean {
  if (!isRecord(asked) || !isRecord(asked.params)) return true;
  const { elicitation, sampling } = capabilities;
  if (asked.method === 'sampling/createMessage')
    return !('tools' in asked.params) || (isRecord(sampling) && 'tools' in sampling);
  if (asked.method !== 'elicitation/create' || !isRecord(elicitation)) return true;
  const form = 'form' in elicitation || !('url' in elicitation);
  return asked.params.mode === 'url' ? 'url' in elicitation : form;
}

/** Changed in the middle and at the start, longer, shorter, and something else altogether. */
function alterations(state: string): readonly string[] {
  const flip = (at: number): string =>
    `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`;
  const middle = Math.floor(state.length / 2);
  return [flip(middle), flip(0), `${state}-TAMPERED`, state.slice(0, middle), 'plumb'].filter(
    (altered) => altered !== state,
  );
}
