/** Clients of the stateless era, and how clients of both find out. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { UNSUPPORTED_VERSION } from '../../protocol/errors.js';
import { META_PROTOCOL_VERSION } from '../../protocol/model/meta.js';
import { actor, isModern, methodOf, respond, TOOL } from './actor.js';
import { rehearsal } from './handshake-scenarios.js';
import { judgePaging, paging } from './paging.js';
import { ANYWHERE, calls, paramsOf, type Scenario } from './scenario.js';
import type { Behaviour, StageAnswer, StageRequest } from './stage.js';

/** Refuses the first request, then is a server of the handshake era. */
function legacyAfter(refusal: (heard: Parameters<Behaviour>[0]) => StageAnswer): () => Behaviour {
  return () => {
    const usual = actor();
    return (heard, stage) =>
      isModern(heard) && 'id' in (heard.message ?? {}) ? refusal(heard) : usual(heard, stage);
  };
}

const fallback = (
  name: string,
  ids: string,
  refusal: (heard: Parameters<Behaviour>[0]) => StageAnswer,
  over: Scenario['over'] = ['http'],
): Scenario => ({
  name,
  revision: 4,
  as: 5,
  over,
  ids,
  behaviour: legacyAfter(refusal),
  judge: (stage, judge) => {
    const probed = stage.heard.filter(isModern);
    if (probed.length === 0) return;
    const fell = calls(stage, 'initialize');
    for (const id of ids.split(' '))
      judge.judge(
        id,
        fell.length > 0,
        'The client did not fall back to the handshake',
        'initialize',
        probed[0]?.text ?? '',
      );
  },
});

export const STATELESS_SCENARIOS: readonly Scenario[] = [
  rehearsal(5),
  {
    name: 'stateless',
    revision: 5,
    over: ANYWHERE,
    ids: '026 040',
    behaviour: () => {
      const usual = actor();
      return (heard, stage) => {
        const answer = usual(heard, stage);
        if (methodOf(heard) !== 'tools/list' || !isRecord(answer?.body) || !isRecord(answer.body.result))
          return answer;
        const { resultType: _, ...result } = answer.body.result;
        return respond(heard, { result });
      };
    },
    judge: (stage, judge) => {
      const [first] = stage.heard;
      if (first === undefined) return;
      judge.judge(
        '040',
        methodOf(first) === 'server/discover' || isModern(first),
        `The first request is ${methodOf(first)}`,
        'server/discover',
        first.text,
      );
      const listed = stage.heard.findIndex((heard) => methodOf(heard) === 'tools/list');
      if (listed !== -1 && stage.goesOnAfter('tools/list'))
        judge.judge(
          '026',
          stage.heard.length > listed + 1,
          'The client stopped at a result without resultType',
          'it is read as complete',
          stage.heard[listed]?.text ?? '',
        );
    },
  },
  {
    name: 'stateless-streams',
    revision: 5,
    ids: '246 203',
    behaviour: () => {
      const usual = actor();
      return (heard, stage) => {
        const answer = usual(heard, stage);
        return isRecord(answer?.body) ? { events: [': keep-alive\n\n', answer.body] } : answer;
      };
    },
    judge: (stage, judge) => {
      if (stage.heard.length === 0 || stage.usualRequests < 2) return;
      for (const id of ['246', '203'])
        judge.judge(
          id,
          stage.heard.length > 1,
          'The client stopped at an event stream',
          'it reads the answer and goes on',
          stage.heard[0]?.text ?? '',
        );
    },
  },
  {
    name: 'paging-stateless',
    revision: 5,
    over: ANYWHERE,
    ids: '142 143 144 145',
    behaviour: paging,
    judge: judgePaging,
  },
  {
    name: 'unsupported-version',
    revision: 5,
    over: ANYWHERE,
    ids: '042 067',
    behaviour: () => {
      const usual = actor();
      let refused = false;
      return (heard, stage) => {
        if (refused || !isModern(heard)) return usual(heard, stage);
        refused = true;
        return respond(
          heard,
          {
            error: {
              code: UNSUPPORTED_VERSION,
              message: 'Unsupported',
              data: { supported: [stage.revision.version], requested: 'x' },
            },
          },
          {},
          400,
        );
      };
    },
    judge: (stage, judge) => {
      const modern = stage.heard.filter(isModern);
      if (modern.length === 0) return;
      judge.judge(
        '042',
        calls(stage, 'initialize').length === 0,
        'The client fell back though the server is modern',
        'another modern request',
        calls(stage, 'initialize')[0]?.text ?? '',
      );
      const [, again] = modern;
      judge.judge(
        '067',
        again !== undefined && versionOf(again) === stage.revision.version,
        'The client did not try again with a version that is supported',
        'a request with a version from data.supported',
        modern[0]?.text ?? '',
      );
    },
  },
  {
    name: 'no-mutual-version',
    revision: 5,
    over: ANYWHERE,
    ids: '068',
    behaviour: () => (heard) =>
      respond(
        heard,
        {
          error: {
            code: UNSUPPORTED_VERSION,
            message: 'Unsupported',
            data: { supported: ['1900-01-01'], requested: 'x' },
          },
        },
        {},
        400,
      ),
    judge: (stage, judge) => {
      if (stage.heard.length > 0)
        judge.judge(
          '068',
          stage.heard.length <= 6,
          `${stage.heard.length} attempts`,
          'an error after one or two',
          stage.heard.at(-1)?.text ?? '',
        );
    },
  },
  fallback('fallback-empty-400', '041 401', () => ({ status: 400 })),
  fallback(
    'fallback-method',
    '041',
    (heard) => respond(heard, { error: { code: -32601, message: 'Unknown' } }),
    ANYWHERE,
  ),
  fallback(
    'fallback-invalid',
    '041',
    (heard) => respond(heard, { error: { code: -32602, message: 'Invalid' } }, {}, 400),
    ANYWHERE,
  ),
  fallback('fallback-silence', '041', () => ({}), ['stdio']),
  fallback('fallback-exit', '041', () => ({ drop: true }), ['stdio']),
  fallback('fallback-text', '041', () => ({
    status: 400,
    headers: { 'content-type': 'text/plain' },
    body: 'Bad Request',
  })),
  {
    name: 'lost-stream',
    revision: 5,
    ids: '247 248',
    behaviour: () => {
      const usual = actor();
      let lost = false;
      return (heard, stage) => {
        if (lost || methodOf(heard) !== 'tools/list') return usual(heard, stage);
        lost = true;
        return { events: [': soon\n\n'], drop: true };
      };
    },
    judge: (stage, judge) => {
      const [first, second] = calls(stage, 'tools/list');
      if (first === undefined || second === undefined) return;
      judge.judge(
        '247',
        first.message?.id !== second.message?.id,
        'The request was repeated with its old id',
        'a new id',
        second.text,
      );
    },
  },
  {
    name: 'traps',
    revision: 5,
    ids: '384 385 386 387',
    behaviour: () => (heard, stage) => {
      const tools = [
        TOOL,
        {
          ...TOOL,
          name: 'remote',
          inputSchema: { type: 'object', properties: { x: { $ref: `${stage.origin}/canary/schema.json` } } },
        },
        { ...TOOL, name: 'deep', inputSchema: deep(200) },
        {
          ...TOOL,
          name: 'icon',
          icons: [
            { src: `${stage.origin}/canary/icon.png` },
            { src: 'javascript:alert(1)' },
            { src: 'file:///etc/passwd' },
          ],
        },
      ];
      return actor({ tools })(heard, stage);
    },
    judge: (stage, judge) => {
      const listed = stage.heard.findIndex((heard) => methodOf(heard) === 'tools/list');
      if (listed === -1) return;
      const canaries = stage.heard.filter(({ path }) => path.startsWith('/canary'));
      const schema = canaries.find(({ path }) => path.includes('schema'));
      judge.judge(
        '384',
        schema === undefined,
        'A reference was fetched over the network',
        'no network access',
        schema?.path ?? '',
      );
      if (stage.goesOnAfter('tools/list'))
        judge.judge(
          '385',
          stage.heard.slice(listed + 1).some(({ method }) => method === 'POST'),
          'The client stopped at a deep schema',
          'it goes on',
          '',
        );
      const icon = canaries.find(({ path }) => path.includes('icon'));
      judge.judge(
        '386',
        icon === undefined,
        'An icon was loaded over plain http',
        'https or data only',
        icon?.path ?? '',
      );
      if (icon !== undefined)
        judge.judge(
          '387',
          icon.headers.authorization === undefined && icon.headers.cookie === undefined,
          'An icon was fetched with credentials',
          'no credentials',
          icon.path,
        );
    },
  },
];

function versionOf(heard: StageRequest): unknown {
  const { _meta } = paramsOf(heard);
  return isRecord(_meta) ? _meta[META_PROTOCOL_VERSION] : undefined;
}

function deep(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = { anyOf: [schema] };
  return { type: 'object', properties: { x: schema } };
}
