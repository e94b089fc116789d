/** Everything that a server of the handshake era may ask, and how a client has to answer. */

import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { actor, methodOf, TOOL } from './actor.js';
import { answerTo, capabilitiesOf, errorOf, type Scenario } from './scenario.js';
import type { Behaviour, Stage } from './stage.js';

const FORM = {
  type: 'object',
  properties: { name: { type: 'string', default: 'Ada' } },
  required: ['name'],
};
const SAMPLE = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 };

/** Everything that a server may ask, before the answer to tools/list. */
export function asking(): Behaviour {
  const usual = actor();
  return (heard, stage) => {
    if (methodOf(heard) !== 'tools/list' || stage.asked.size > 0) return usual(heard, stage);
    const modern = stage.revision.elicitation === 'form_and_url';
    const requests = [
      stage.ask('ping'),
      stage.ask('plumb/unknown'),
      stage.ask('roots/list'),
      stage.ask('sampling/createMessage', SAMPLE),
      ...(stage.revision.elicitation === 'none'
        ? []
        : [stage.ask('elicitation/create', { message: 'Name?', requestedSchema: FORM })]),
      ...(modern
        ? [
            stage.ask('elicitation/create', {
              mode: 'url',
              message: 'Open?',
              url: `${stage.origin}/canary`,
              elicitationId: 'e1',
            }),
          ]
        : []),
      ...(stage.revision.samplingTools
        ? [
            stage.ask('sampling/createMessage', { ...SAMPLE, tools: [TOOL] }),
            stage.ask('sampling/createMessage', unbalanced()),
          ]
        : []),
    ];
    const notices = modern
      ? [
          {
            jsonrpc: '2.0',
            method: 'notifications/elicitation/complete',
            params: { elicitationId: 'never-asked' },
          },
        ]
      : [];
    return {
      events: [...requests, ...notices, { jsonrpc: '2.0', id: heard.message?.id, result: { tools: [TOOL] } }],
    };
  };
}

function unbalanced(): JsonObject {
  const use = { type: 'tool_use', id: 'u1', name: 'x', input: {} };
  return {
    messages: [
      { role: 'assistant', content: [use] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', toolUseId: 'other', content: [] },
          { type: 'text', text: 'x' },
        ],
      },
    ],
    maxTokens: 5,
  };
}

export function judgeAsking(stage: Stage, judge: Parameters<Scenario['judge']>[1]): void {
  if (stage.asked.size === 0) return;
  const capabilities = capabilitiesOf(stage);
  const ping = answerTo(stage, 'ping');
  judge.judge(
    '081',
    isRecord(ping?.message?.result) && Object.keys(ping.message.result).every((key) => key === '_meta'),
    'ping was not answered with an empty result',
    'an empty result',
    ping?.text ?? '(nothing)',
  );
  const unknown = answerTo(stage, 'plumb/unknown');
  judge.judge(
    '009',
    errorOf(unknown) === METHOD_NOT_FOUND,
    'An unknown method was not refused',
    'error -32601',
    unknown?.text ?? '(nothing)',
  );
  const roots = answerTo(stage, 'roots/list');
  if (capabilities.roots === undefined)
    judge.judge(
      '169',
      errorOf(roots) === METHOD_NOT_FOUND,
      'roots/list without support was not refused',
      'error -32601',
      roots?.text ?? '(nothing)',
    );
  const sampled = answerTo(
    stage,
    'sampling/createMessage',
    ({ params }) => isRecord(params) && params.tools === undefined && params.messages === SAMPLE.messages,
  );
  if (isRecord(sampled?.message?.result))
    judge.judge(
      '156',
      capabilities.sampling !== undefined,
      'Sampling is answered and not declared',
      'the sampling capability',
      sampled.text,
    );
  judgeElicitation(stage, judge, capabilities);
  const { sampling } = capabilities;
  if (!stage.revision.samplingTools || sampling === undefined) return;
  const tools = answerTo(
    stage,
    'sampling/createMessage',
    ({ params }) => isRecord(params) && params.tools !== undefined,
  );
  if (isRecord(sampling) && sampling.tools === undefined)
    judge.judge(
      '161',
      tools?.message?.error !== undefined,
      'Tools without sampling.tools were accepted',
      'an error',
      tools?.text ?? '(nothing)',
    );
  const mixed = answerTo(
    stage,
    'sampling/createMessage',
    ({ params }) => isRecord(params) && JSON.stringify(params).includes('tool_result'),
  );
  judge.judge(
    '164',
    errorOf(mixed) === INVALID_PARAMS,
    'Mixed tool results were accepted',
    'error -32602',
    mixed?.text ?? '(nothing)',
  );
}

function judgeElicitation(
  stage: Stage,
  judge: Parameters<Scenario['judge']>[1],
  capabilities: JsonObject,
): void {
  const { elicitation } = capabilities;
  if (elicitation !== undefined && !isRecord(elicitation))
    judge.judge('179', false, 'elicitation is no object', 'form, url or {}', JSON.stringify(elicitation));
  if (!isRecord(elicitation)) return;
  const modes = Object.keys(elicitation).filter((mode) => mode === 'form' || mode === 'url');
  judge.judge(
    '179',
    modes.length > 0 || Object.keys(elicitation).length === 0,
    'elicitation declares no mode',
    'form, url or {}',
    JSON.stringify(elicitation),
  );
  const form = answerTo(
    stage,
    'elicitation/create',
    ({ params }) => isRecord(params) && params.mode === undefined,
  );
  const formed = modes.length === 0 || modes.includes('form');
  if (formed)
    judge.judge(
      '176',
      isRecord(form?.message?.result),
      'An elicitation without mode was not taken for a form',
      'a result',
      form?.text ?? '(nothing)',
    );
  const accepted =
    isRecord(form?.message?.result) && form.message.result.action === 'accept'
      ? form.message.result
      : undefined;
  if (accepted !== undefined) {
    const content = isRecord(accepted.content) ? accepted.content : {};
    judge.judge(
      '181',
      typeof content.name === 'string',
      'The answer does not fit the form',
      'a name as text',
      form?.text ?? '',
    );
    judge.judge(
      '182',
      content.name !== undefined,
      'The default was not returned',
      'name: Ada',
      form?.text ?? '',
    );
  }
  const url = answerTo(
    stage,
    'elicitation/create',
    ({ params }) => isRecord(params) && params.mode === 'url',
  );
  if (!modes.includes('url'))
    judge.judge(
      '175',
      errorOf(url) === INVALID_PARAMS,
      'A mode that was not declared was accepted',
      'error -32602',
      url?.text ?? '(nothing)',
    );
  const fetched = stage.heard.find(({ path }) => path.startsWith('/canary'));
  const agreed = isRecord(url?.message?.result) && url.message.result.action === 'accept';
  judge.judge(
    '188',
    fetched === undefined || agreed,
    'The URL was opened without consent',
    'nothing before the user agrees',
    fetched?.path ?? '',
  );
  judge.judge(
    '185',
    url !== undefined,
    'After elicitation/complete of an unknown id nothing came any more',
    'it is ignored',
    '(nothing)',
  );
}
