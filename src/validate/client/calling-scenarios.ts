/** Calls of the stateless era: questions inside results, and arguments that travel in headers too. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { HEADER_MISMATCH } from '../../protocol/errors.js';
import { mirroredParameters, parameterHeaders } from '../../protocol/mirrored-headers.js';
import { actor, methodOf, respond } from './actor.js';
import { judgeAnswer } from './judge.js';
import { ANYWHERE, calls, paramsOf, type Scenario } from './scenario.js';
import type { Behaviour, Stage } from './stage.js';

/** Quotes, capitals, and letters that other forms of Unicode write otherwise. */
const STATE = 'State "with" Ünusual ﬁ = characters?&';

const ROUTE: JsonObject = {
  name: 'route-ü',
  description: 'Has arguments in headers.',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', default: 'eu ü', 'x-mcp-header': 'Region' },
      shard: { type: 'integer', default: 42, 'x-mcp-header': 'Shard' },
      dry: { type: 'boolean', default: true, 'x-mcp-header': 'Dry' },
      absent: { type: 'string', 'x-mcp-header': 'Absent' },
      place: {
        type: 'object',
        default: { city: 'Pisa' },
        properties: { city: { type: 'string', 'x-mcp-header': 'City' } },
      },
    },
    required: ['region', 'shard', 'dry', 'place'],
  },
};

const INVALID: readonly JsonObject[] = ['a b', '', 'a:b'].map((header, index) => ({
  name: `invalid_${index}`,
  inputSchema: {
    type: 'object',
    properties: { x: { type: 'string', default: 'x', 'x-mcp-header': header } },
  },
}));

function asking(rounds: number, result: (stage: Stage, round: number) => JsonObject): Behaviour {
  let round = 0;
  const usual = actor();
  return (heard, stage) => {
    if (methodOf(heard) !== 'tools/call' || round >= rounds) return usual(heard, stage);
    round += 1;
    return respond(heard, { result: { resultType: 'input_required', ...result(stage, round) } });
  };
}

const QUESTIONS = {
  name: {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Name?',
      requestedSchema: {
        type: 'object',
        properties: { name: { type: 'string', default: 'Ada' } },
        required: ['name'],
      },
    },
  },
  places: { method: 'roots/list', params: {} },
  model: {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 },
  },
} as const;

function judgeRounds(stage: Stage, judge: Parameters<Scenario['judge']>[1]): void {
  const [first, second] = calls(stage, 'tools/call');
  if (first === undefined || second === undefined) return;
  const params = paramsOf(second);
  const responses = isRecord(params.inputResponses) ? params.inputResponses : {};
  judge.judge(
    '280',
    Object.keys(QUESTIONS).every((key) => isRecord(responses[key]) && !('jsonrpc' in responses[key])),
    'Not every question was answered with a result',
    `${Object.keys(QUESTIONS).join(', ')}: a result each, without an envelope`,
    second.text,
  );
  judge.judge('281', params.requestState === STATE, 'requestState was changed', STATE, second.text);
  judge.judge(
    '283',
    first.message?.id !== second.message?.id,
    'The retry has the id of the request',
    'a new id',
    second.text,
  );
  const same =
    JSON.stringify([paramsOf(first).name, paramsOf(first).arguments]) ===
    JSON.stringify([params.name, params.arguments]);
  judge.judge('280', same, 'The retry is another call', 'the original parameters', second.text);
  for (const [key, { method }] of Object.entries(QUESTIONS)) {
    const answer = responses[key];
    if (isRecord(answer)) judgeAnswer(stage, judge, method, answer, second.text);
  }
  const { name: form } = responses;
  if (isRecord(form) && form.action === 'accept')
    judge.judge(
      '181',
      isRecord(form.content) && typeof form.content.name === 'string',
      'The answer does not fit the form',
      'a name as text',
      second.text,
    );
  const others = stage.heard.filter(
    (heard) =>
      methodOf(heard) !== 'tools/call' &&
      ('requestState' in paramsOf(heard) || 'inputResponses' in paramsOf(heard)),
  );
  judge.judge(
    '284',
    others.length === 0,
    'State leaked into another request',
    'only in the retry',
    others[0]?.text ?? '',
  );
}

function judgeMirrored(stage: Stage, judge: Parameters<Scenario['judge']>[1]): void {
  // A client that calls what it finds calls the valid tool, too.
  if (stage.habits?.some(({ method }) => method === 'tools/call') === true)
    judge.judge(
      '263',
      calls(stage, 'tools/call').length > 0,
      'No tool was called, though one of the list is valid',
      'tools with invalid annotations are dropped, and the others kept',
      '',
    );
  for (const heard of calls(stage, 'tools/call')) {
    const params = paramsOf(heard);
    if (INVALID.some(({ name }) => name === params.name))
      judge.judge(
        '263',
        false,
        `The tool ${String(params.name)} was called`,
        'tools with invalid annotations are dropped',
        heard.text,
      );
    if (params.name !== ROUTE.name) continue;
    judge.judge('263', true, '', '', '');
    judge.judge(
      '252',
      String(heard.headers['mcp-name']).startsWith('=?base64?'),
      `Mcp-Name is ${heard.headers['mcp-name']}`,
      '=?base64?...?=',
      heard.text,
    );
    const args = isRecord(params.arguments) ? params.arguments : {};
    const found = isRecord(ROUTE.inputSchema) ? mirroredParameters(ROUTE.inputSchema) : undefined;
    const expected = found?.ok === true ? parameterHeaders(found.parameters, args) : {};
    const sent = (name: string): string => heard.headers[name]?.trim() ?? '(absent)';
    const right = (name: string): boolean => heard.headers[name]?.trim() === expected[name];
    const all = Object.keys(expected);
    judge.judge(
      '258',
      all.every((name) => heard.headers[name] !== undefined),
      `Missing: ${all.filter((name) => heard.headers[name] === undefined).join(', ')}`,
      all.join(', '),
      heard.text,
    );
    judge.judge(
      '259',
      args.absent !== undefined || heard.headers['mcp-param-absent'] === undefined,
      'A header for an absent argument',
      'no header',
      heard.text,
    );
    judge.judge(
      '260',
      right('mcp-param-shard') && right('mcp-param-dry'),
      `${sent('mcp-param-shard')}, ${sent('mcp-param-dry')}`,
      'decimal, true or false',
      heard.text,
    );
    judge.judge(
      '261',
      right('mcp-param-region'),
      sent('mcp-param-region'),
      expected['mcp-param-region'] ?? '',
      heard.text,
    );
    judge.judge(
      '262',
      right('mcp-param-city'),
      sent('mcp-param-city'),
      expected['mcp-param-city'] ?? '',
      heard.text,
    );
  }
}

export const CALLING_SCENARIOS: readonly Scenario[] = [
  {
    name: 'input-required',
    revision: 5,
    over: ANYWHERE,
    ids: '280 281 283 284 158 170 180 181',
    trigger: 'call a tool',
    behaviour: () => asking(1, () => ({ inputRequests: QUESTIONS, requestState: STATE })),
    judge: judgeRounds,
  },
  {
    name: 'state-only',
    revision: 5,
    over: ANYWHERE,
    ids: '285',
    trigger: 'call a tool',
    behaviour: () => asking(1, () => ({ requestState: STATE })),
    judge: (stage, judge) => {
      const [first, second] = calls(stage, 'tools/call');
      if (first === undefined) return;
      judge.judge(
        '285',
        second !== undefined &&
          paramsOf(second).requestState === STATE &&
          paramsOf(second).inputResponses === undefined,
        'A result with only a state was not retried',
        'the call again with requestState and no answers',
        second?.text ?? '(nothing)',
      );
    },
  },
  {
    name: 'no-state',
    revision: 5,
    over: ANYWHERE,
    ids: '282',
    trigger: 'call a tool',
    behaviour: () => asking(1, () => ({ inputRequests: { name: QUESTIONS.name } })),
    judge: (stage, judge) => {
      const [, second] = calls(stage, 'tools/call');
      if (second !== undefined)
        judge.judge(
          '282',
          !('requestState' in paramsOf(second)),
          'A requestState was made up',
          'none',
          second.text,
        );
    },
  },
  {
    name: 'endless-questions',
    revision: 5,
    over: ANYWHERE,
    ids: '287',
    trigger: 'call a tool',
    behaviour: () => asking(1_000, (_, round) => ({ requestState: `round-${round}` })),
    judge: (stage, judge) => {
      const rounds = calls(stage, 'tools/call').length;
      if (rounds > 0) judge.judge('287', rounds <= 60, `${rounds} rounds`, 'a limit', '');
    },
  },
  {
    name: 'mirrored-headers',
    revision: 5,
    ids: '252 258 259 260 261 262 263',
    trigger: 'call the tool route-ü with its arguments',
    behaviour: () => actor({ tools: [ROUTE, ...INVALID] }),
    judge: judgeMirrored,
  },
  {
    name: 'stale-schema',
    revision: 5,
    ids: '267',
    trigger: 'call a tool',
    behaviour: () => {
      const usual = actor();
      let refused = false;
      return (heard, stage) => {
        if (methodOf(heard) !== 'tools/call' || refused) return usual(heard, stage);
        refused = true;
        return respond(heard, { error: { code: HEADER_MISMATCH, message: 'Header mismatch' } }, {}, 400);
      };
    },
    judge: (stage, judge) => {
      const first = stage.heard.findIndex((heard) => methodOf(heard) === 'tools/call');
      if (first === -1) return;
      const after = stage.heard.slice(first + 1).map(methodOf);
      judge.judge(
        '267',
        after.includes('tools/list') && after.includes('tools/call'),
        `After -32020: ${after.join(', ') || 'nothing'}`,
        'tools/list, then the call again',
        stage.heard[first]?.text ?? '',
      );
    },
  },
];
