/** Multi round-trip requests: questions inside results. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { textOf } from '../../catalogue.js';
import { type Check, check } from '../../check.js';
import { retryParams, type Use } from '../../exercise.js';
import type { Probe } from '../../probe.js';
import { outcomeOf } from '../../session/reply.js';
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

/** A use whose first answer asked and carried a state. */
function stateful(probe: Probe): Use | undefined {
  const all = [...probe.exercise.calls, ...probe.exercise.gets, ...probe.exercise.reads];
  return all.find(
    ({ rounds: [first], last }) =>
      first?.kind === 'result' &&
      interim(first.result) &&
      typeof first.result.requestState === 'string' &&
      last.kind === 'result' &&
      last !== first,
  );
}

export const inputRequiredChecks: readonly Check[] = [
  check('271 272 273', (probe) => {
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
        isRecord(inputRequests) || typeof requestState === 'string',
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
  check('274', (probe) => {
    for (const { params, result, response, request } of sortTraffic(probe.recorder.entries).exchanges) {
      if (!interim(result) || !isRecord(result.inputRequests)) continue;
      const meta = isRecord(params._meta) ? params._meta : {};
      const declared = meta['io.modelcontextprotocol/clientCapabilities'];
      const capabilities = isRecord(declared) ? declared : {};
      for (const asked of Object.values(result.inputRequests)) {
        const method = isRecord(asked) ? textOf(asked, 'method') : '';
        const ok = NEEDS[method] === undefined || NEEDS[method] in capabilities;
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
  check('275 276 277 278 279', async (probe) => {
    const use = stateful(probe);
    const [first] = use?.rounds ?? [];
    if (use === undefined || first?.kind !== 'result') {
      for (const id of ['275', '276', '277', '278', '279'])
        probe.skip(id, 'no callable tool asks with a requestState');
      return;
    }
    const session = await probe.session();
    const fresh = await session.request(use.method, use.params);
    const retry = retryParams(use.params, fresh);
    if (retry === undefined || fresh.kind !== 'result')
      return probe.skip('275', 'the tool did not ask a second time');
    const state = String(fresh.result.requestState);

    const tampered = await session.request(use.method, { ...retry, requestState: flip(state) });
    const rejected =
      tampered.kind === 'error' || (tampered.kind === 'result' && tampered.result.isError === true);
    probe.judge('275', rejected, `An altered requestState: ${outcomeOf(tampered)}`, 'an error', tampered);

    const others = probe.exercise.calls.filter(({ subject }) => subject.name !== use.subject.name);
    const other =
      others.find(({ rounds: [round] }) => round?.kind === 'result' && interim(round.result)) ?? others[0];
    if (other !== undefined && use.method === 'tools/call') {
      const moved = await session.request('tools/call', {
        ...other.params,
        inputResponses: retry.inputResponses,
        requestState: state,
      });
      const refused = moved.kind !== 'result' || moved.result.isError === true || interim(moved.result);
      probe.judge('276', refused, 'A requestState was accepted for another request', 'an error', moved);
    }

    if (isRecord(retry.inputResponses) && Object.keys(retry.inputResponses).length > 0) {
      const without = await session.request(use.method, { ...retry, inputResponses: {} });
      probe.judge(
        '277',
        without.kind === 'result' && interim(without.result),
        `A missing answer: ${outcomeOf(without)}`,
        'another input_required',
        without,
      );
      const extra = await session.request(use.method, {
        ...retry,
        inputResponses: { ...retry.inputResponses, 'plumb-extra': { action: 'accept' } },
      });
      probe.judge(
        '278',
        extra.kind === 'result' && extra.result.isError !== true,
        `An answer that was not requested: ${outcomeOf(extra)}`,
        'it is ignored',
        extra,
      );
      const malformed = await session.request(
        use.method,
        { ...retry, inputResponses: 'not an object' },
        { hostile: true },
      );
      probe.judge(
        '279',
        malformed.kind === 'error',
        `Malformed inputResponses: ${outcomeOf(malformed)}`,
        'an error',
        malformed,
      );
    }
  }),
  check('190', async (probe) => {
    const asking = probe.exercise.calls.filter(
      ({ rounds: [first] }) =>
        first?.kind === 'result' &&
        isRecord(first.result.inputRequests) &&
        Object.values(first.result.inputRequests).some(
          (request) => isRecord(request) && request.method === 'elicitation/create',
        ),
    );
    if (!probe.stateless) return declineOverHandshake(probe);
    const session = await probe.session();
    for (const use of asking.slice(0, 2)) {
      for (const action of ['decline', 'cancel']) {
        const fresh = await session.request(use.method, use.params);
        const retry = retryParams(use.params, fresh);
        if (retry === undefined || !isRecord(retry.inputResponses)) continue;
        const inputResponses = Object.fromEntries(
          Object.keys(retry.inputResponses).map((key) => [key, { action }]),
        );
        const reply = await session.request(use.method, { ...retry, inputResponses });
        probe.judge(
          '190',
          reply.kind === 'result',
          `${textOf(use.subject, 'name')} after ${action}: ${outcomeOf(reply)}`,
          'a result',
          reply,
        );
      }
    }
    probe.skip('190', 'no callable tool elicits');
  }),
];

async function declineOverHandshake(probe: Probe): Promise<void> {
  const eliciting = probe.shared.asked.some(({ method }) => method === 'elicitation/create');
  if (!eliciting) return probe.skip('190', 'no callable tool elicits');
  for (const action of ['decline', 'cancel']) {
    const { session } = await probe.open({
      answer: (method) => (method === 'elicitation/create' ? { action } : {}),
    });
    for (const { method, params, subject } of probe.exercise.calls) {
      const before = session.asked.length;
      if (!/ask|elicit|book|form|confirm/i.test(textOf(subject, 'name'))) continue;
      const reply = await session.request(method, params, { timeoutMs: 2_000 });
      if (session.asked.slice(before).every((asked) => asked.method !== 'elicitation/create')) continue;
      const handled = reply.kind === 'result' || reply.kind === 'error';
      probe.judge(
        '190',
        handled,
        `${textOf(subject, 'name')} after ${action}: ${outcomeOf(reply)}`,
        'an answer',
        reply,
      );
    }
  }
}

/** Changes one character in the middle, and keeps the alphabet. */
function flip(state: string): string {
  const at = Math.floor(state.length / 2);
  const replacement = state[at] === 'A' ? 'B' : 'A';
  return `${state.slice(0, at)}${replacement}${state.slice(at + 1)}`;
}
