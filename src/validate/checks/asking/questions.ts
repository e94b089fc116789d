/** What servers ask of clients, whichever way the question travels. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { URL_ELICITATION_REQUIRED } from '../../../protocol/index.js';
import { records } from '../../catalogue.js';
import { type Check, check } from '../../check.js';
import { converse } from '../../exercise.js';
import type { Probe } from '../../probe.js';
import { sortTraffic } from '../../traffic.js';
import type { Entry } from '../../wire/recorder.js';

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly entry: Entry;
}

function questions(entries: readonly Entry[]): readonly Question[] {
  const { requests, exchanges } = sortTraffic(entries);
  const embedded = exchanges.flatMap(({ result, response }) =>
    Object.values(isRecord(result?.inputRequests) ? result.inputRequests : {}).flatMap((request) =>
      isRecord(request) && response !== undefined
        ? [
            {
              method: String(request.method),
              params: isRecord(request.params) ? request.params : {},
              entry: response,
            },
          ]
        : [],
    ),
  );
  return [...requests, ...embedded];
}

const of = (probe: Probe, method: string): readonly Question[] =>
  questions(probe.recorder.entries).filter((question) => question.method === method);

const SECRET = /password|passwd|secret|api.?key|token|credit.?card|cvv|ssn|private.?key/i;
const PRIMITIVES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean']);

export const questionChecks: readonly Check[] = [
  check('157 162 163', (probe) => {
    for (const { params, entry } of of(probe, 'sampling/createMessage')) {
      const received = entry.text;
      const ok = Array.isArray(params.messages) && Number.isInteger(params.maxTokens);
      probe.judge(
        '157',
        ok,
        'sampling/createMessage without messages and maxTokens',
        'messages and maxTokens',
        { received },
      );
      judgeToolUse(probe, records(params.messages), received);
    }
    for (const id of ['157', '162', '163']) probe.skip(id, 'no callable tool samples (with tools)');
  }),
  check('160 166', async (probe) => {
    const sampling = of(probe, 'sampling/createMessage').some(({ params }) => 'tools' in params);
    if (!sampling) probe.skip('160', 'no callable tool samples with tools');
    if (of(probe, 'sampling/createMessage').length === 0)
      return probe.skip('166', 'no callable tool samples');
    const capabilities = { ...probe.shared.capabilities, sampling: {} };
    const { session } = await probe.open({ capabilities });
    for (const { method, params, subject } of probe.exercise.calls.filter(
      ({ rounds }) => rounds.length > 0,
    )) {
      if (!/sampl|model/i.test(String(subject.name))) continue;
      await converse(session, method, subject, params, 1_500);
    }
    const bad = questions(probe.recorder.of(session.connection.number)).filter(
      ({ method, params }) =>
        method === 'sampling/createMessage' && ('tools' in params || 'toolChoice' in params),
    );
    if (sampling)
      probe.judge(
        '160',
        bad.length === 0,
        'tools were sent to a client without sampling.tools',
        'no tools and no toolChoice',
        { received: bad[0]?.entry.text ?? '' },
      );
    const asked = questions(probe.recorder.of(session.connection.number)).filter(
      ({ method }) => method === 'sampling/createMessage',
    );
    for (const { params, entry } of asked) {
      const plain = params.includeContext === undefined || params.includeContext === 'none';
      probe.judge('166', plain, 'includeContext without sampling.context', 'none', { received: entry.text });
    }
  }),
  check('174', async (probe) => {
    const elicited = of(probe, 'elicitation/create');
    if (!elicited.some(({ params }) => params.mode === 'url'))
      return probe.skip('174', 'no callable tool elicits with a url');
    const { session } = await probe.open({ capabilities: { elicitation: { form: {} } } });
    for (const { method, params, subject } of probe.exercise.calls) {
      if (!/ask|elicit|url|page/i.test(String(subject.name))) continue;
      await converse(session, method, subject, params, 1_500);
    }
    const bad = questions(probe.recorder.of(session.connection.number)).filter(
      ({ params }) => params.mode === 'url',
    );
    probe.judge(
      '174',
      bad.length === 0,
      'A url elicitation to a client that only has forms',
      'only declared modes',
      { received: bad[0]?.entry.text ?? '' },
    );
  }),
  check('177 178 189', (probe) => {
    for (const { params, entry } of of(probe, 'elicitation/create')) {
      if (params.mode === 'url') continue;
      const received = entry.text;
      const fault = formFault(params.requestedSchema, probe.revision.elicitation === 'basic_form');
      probe.judge(
        '177',
        fault === undefined,
        `requestedSchema: ${fault}`,
        'a flat object of primitive types',
        { received },
      );
      if (probe.revision.elicitation === 'basic_form') {
        const modern =
          'mode' in params ||
          /"(oneOf|anyOf)"|"type":\s*"array"/.test(JSON.stringify(params.requestedSchema));
        probe.judge(
          '178',
          !modern,
          'An elicitation uses what came later',
          'no mode, no multi-select, enumNames for titles',
          { received },
        );
      }
      const names =
        isRecord(params.requestedSchema) && isRecord(params.requestedSchema.properties)
          ? Object.keys(params.requestedSchema.properties)
          : [];
      const secret = names.find((name) => SECRET.test(name));
      probe.judge('189', secret === undefined, `A form asks for "${secret}"`, 'url mode for secrets', {
        received,
      });
    }
    for (const id of ['177', '178', '189']) probe.skip(id, 'no callable tool elicits');
  }),
  check('183 187', (probe) => {
    for (const { params, entry } of of(probe, 'elicitation/create')) {
      if (params.mode !== 'url') continue;
      const received = entry.text;
      const url = typeof params.url === 'string' && URL.canParse(params.url);
      const identified = !probe.revision.elicitationId || typeof params.elicitationId === 'string';
      probe.judge(
        '183',
        url && identified,
        'A url elicitation without a valid url (or its id)',
        'url and, where the revision has it, elicitationId',
        { received },
      );
      probe.judge(
        '187',
        !('elicitationId' in params),
        'elicitationId does not exist in this revision',
        'no elicitationId',
        { received },
      );
    }
    const complete = sortTraffic(probe.recorder.entries).notifications.find(
      ({ method }) => method === 'notifications/elicitation/complete',
    );
    if (complete !== undefined)
      probe.fail('187', 'notifications/elicitation/complete does not exist in this revision', {
        received: complete.entry.text,
        expected: 'nothing',
      });
    for (const id of ['183', '187']) probe.skip(id, 'no callable tool elicits with a url');
  }),
  check('184 186', (probe) => {
    const traffic = sortTraffic(probe.recorder.entries);
    for (const { error, response } of traffic.exchanges) {
      if (error?.code !== URL_ELICITATION_REQUIRED) continue;
      const elicitations = isRecord(error.data) ? records(error.data.elicitations) : [];
      const ok =
        elicitations.length > 0 &&
        elicitations.every(({ mode, elicitationId }) => mode === 'url' && typeof elicitationId === 'string');
      probe.judge(
        '184',
        ok,
        'Error -32042 without url elicitations',
        'data.elicitations, each with mode url and an id',
        { received: response?.text ?? '' },
      );
    }
    for (const { method, params, entry } of traffic.notifications) {
      if (method !== 'notifications/elicitation/complete') continue;
      const known = questions(probe.recorder.of(entry.connection)).some(
        (question) => question.params.elicitationId === params.elicitationId,
      );
      probe.judge(
        '186',
        known,
        'elicitation/complete to a client that was not asked',
        'only the client that was asked',
        { received: entry.text },
      );
    }
    probe.skip('184', 'the server never answers with -32042');
    probe.skip('186', 'the server sends no elicitation/complete');
  }),
];

function judgeToolUse(probe: Probe, messages: readonly JsonObject[], received: string): void {
  messages.forEach((message, index) => {
    const blocks = Array.isArray(message.content)
      ? records(message.content)
      : [message.content].filter(isRecord);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    if (results.length > 0) {
      probe.judge(
        '162',
        results.length === blocks.length,
        'tool_result beside other content',
        'only tool_result blocks',
        { received },
      );
    }
    const uses = blocks.filter(({ type }) => type === 'tool_use');
    if (uses.length === 0) return;
    const next = messages[index + 1];
    const answers = records(Array.isArray(next?.content) ? next.content : [next?.content]).map(
      ({ toolUseId }) => toolUseId,
    );
    const balanced = uses.every(({ id }) => answers.includes(id));
    probe.judge(
      '163',
      balanced,
      'A tool_use without its tool_result',
      'a tool_result of the same id in the next message',
      { received },
    );
  });
}

function formFault(schema: unknown, basic: boolean): string | undefined {
  if (!isRecord(schema) || schema.type !== 'object' || !isRecord(schema.properties))
    return 'not an object with properties';
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!isRecord(property)) return `${name} is no schema`;
    const type = String(property.type);
    const multi = type === 'array' && !basic && isRecord(property.items);
    if (!PRIMITIVES.has(type) && !multi) return `${name} is of type ${type}`;
    if ('properties' in property) return `${name} is nested`;
  }
  return undefined;
}
