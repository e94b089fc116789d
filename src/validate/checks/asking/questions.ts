/** What servers ask of clients, whichever way the question travels. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { URL_ELICITATION_REQUIRED } from '../../../protocol/errors.js';
import { records } from '../../catalogue.js';
import { type Check, observing, ownCheck, watch } from '../../check.js';
import { converse } from '../../exercise.js';
import type { Effects } from '../../observe.js';
import type { Probe } from '../../probe.js';
import { sortTraffic } from '../../traffic.js';
import type { RecordedEntry } from '../../wire/recorder.js';

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly entry: RecordedEntry;
}

function questions(entries: readonly RecordedEntry[]): readonly Question[] {
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

const NONE_SAMPLES = 'no callable tool samples (--call-tools, or --tool NAME for one that does)';
const NONE_ELICITS = 'no callable tool elicits (--call-tools, or --tool NAME for one that does)';

/** What is asked of a client with these capabilities while these tools run. */
async function askedOf(
  probe: Probe,
  capabilities: JsonObject,
  tools: readonly Effects[],
): Promise<readonly Question[]> {
  const { session } = await probe.open({ capabilities });
  const timeoutMs = Math.min(probe.settings.timeoutMs, 1_500);
  // The connection may have served another check before.
  const before = probe.recorder.of(session.connection.number).length;
  await Promise.all(
    tools.slice(0, 6).map(({ use }) => converse(session, use.method, use.subject, use.params, timeoutMs)),
  );
  return questions(probe.recorder.of(session.connection.number).slice(before));
}

const of = (probe: Probe, method: string): readonly Question[] =>
  questions(probe.recorder.entries).filter((question) => question.method === method);

const SECRET = /password|passwd|secret|api.?key|token|credit.?card|cvv|ssn|private.?key/i;
const PRIMITIVES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean']);

export const questionChecks: readonly Check[] = [
  watch('157 162 163', (probe) => {
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
  observing(
    ownCheck('160 166', async (probe) => {
      const sampling = probe.seen(({ asks }) => asks.has('sampling/createMessage'));
      if (sampling.length === 0) return probe.skipAll('160 166', NONE_SAMPLES);
      const withTools = of(probe, 'sampling/createMessage').some(({ params }) => 'tools' in params);
      if (!withTools) probe.skip('160', 'no callable tool samples with tools');
      for (const declared of [{}, { tools: {} }, { context: {} }]) {
        const asked = await askedOf(probe, { ...probe.shared.capabilities, sampling: declared }, sampling);
        for (const { method, params, entry } of asked) {
          if (method !== 'sampling/createMessage') continue;
          const received = entry.text;
          const tools = 'tools' in params || 'toolChoice' in params;
          if (!('tools' in declared) && (withTools || tools))
            probe.judge(
              '160',
              !tools,
              'tools were sent to a client without sampling.tools',
              'no tools and no toolChoice',
              { received },
            );
          const plain = params.includeContext === undefined || params.includeContext === 'none';
          if (!('context' in declared))
            probe.judge('166', plain, 'includeContext without sampling.context', 'none', { received });
        }
      }
      if (withTools) probe.pass('160');
    }),
  ),
  observing(
    ownCheck('174 274', async (probe) => {
      const eliciting = probe.seen(({ asks }) => asks.has('elicitation/create'));
      if (eliciting.length === 0) return probe.skip('174', NONE_ELICITS);
      const cases: [string, JsonObject][] = [
        ['url', {}],
        ['url', { form: {} }],
        ['form', { url: {} }],
      ];
      for (const [forbidden, elicitation] of cases) {
        const asked = await askedOf(probe, { ...probe.shared.capabilities, elicitation }, eliciting);
        const bad = asked.find(
          ({ method, params }) =>
            method === 'elicitation/create' && (params.mode === 'url' ? 'url' : 'form') === forbidden,
        );
        probe.judge(
          '174',
          bad === undefined,
          `An elicitation in ${forbidden} mode to a client that declares ${JSON.stringify(elicitation)}`,
          'only declared modes',
          { received: bad?.entry.text ?? '' },
        );
      }
    }),
  ),
  watch('177 178 189', (probe) => {
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
  watch('183 187', (probe) => {
    for (const { params, entry } of of(probe, 'elicitation/create')) {
      if (params.mode !== 'url') continue;
      const received = entry.text;
      const url = typeof params.url === 'string' && URL.canParse(params.url) && /^https?:/i.test(params.url);
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
  watch('184 186', (probe) => {
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

const FORMATS: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time']);

function formFault(schema: unknown, basic: boolean): string | undefined {
  if (!isRecord(schema) || schema.type !== 'object' || !isRecord(schema.properties))
    return 'not an object with properties';
  for (const [name, property] of Object.entries(schema.properties)) {
    const fault = isRecord(property) ? propertyFault(property, basic) : 'no schema';
    if (fault !== undefined) return `${name} is ${fault}`;
  }
  const { required, properties } = schema;
  if (required === undefined) return undefined;
  if (!Array.isArray(required)) return 'required is no array';
  const unknown = required.find((name) => typeof name !== 'string' || !(name in properties));
  return unknown === undefined
    ? undefined
    : `required names ${JSON.stringify(unknown)}, which is no property`;
}

function propertyFault(property: JsonObject, basic: boolean): string | undefined {
  const { type, format } = property;
  if ('properties' in property || '$ref' in property) return 'nested';
  if (type === 'array' && !basic) return selectionFault(property.items);
  if (typeof type !== 'string' || !PRIMITIVES.has(type)) return `of type ${JSON.stringify(type)}`;
  if (format !== undefined && (type !== 'string' || !FORMATS.has(format)))
    return `of the format ${JSON.stringify(format)}`;
  if (property.enum === undefined) return undefined;
  const texts = Array.isArray(property.enum) && property.enum.every((choice) => typeof choice === 'string');
  return type === 'string' && texts ? undefined : 'a choice of other things than strings';
}

/** A list of choices; anything else in an array is nested. */
function selectionFault(items: unknown): string | undefined {
  if (!isRecord(items)) return 'an array without items';
  const titled = records(items.anyOf).every((choice) => typeof choice.const === 'string');
  const plain = Array.isArray(items.enum) && items.enum.every((choice) => typeof choice === 'string');
  return plain || (Array.isArray(items.anyOf) && titled)
    ? undefined
    : 'an array of other things than choices';
}
