/** Prompts and completion. */

import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../../jsonrpc/codes.js';
import { isRecord } from '../../../jsonrpc/message.js';
import { records, textOf } from '../../catalogue.js';
import { type Check, check } from '../../check.js';
import { promptArguments } from '../../exercise.js';
import { expectError } from '../expect.js';

export const promptChecks: readonly Check[] = [
  check('132', (probe) => {
    if (probe.catalogue.prompts.length === 0) return probe.skip('132', 'the server has no prompts');
    probe.judge(
      '132',
      probe.declares('prompts'),
      'Prompts are served and not declared',
      '"prompts" in the capabilities',
      {
        received: JSON.stringify(probe.catalogue.capabilities),
      },
    );
  }),
  check('133', async (probe) => {
    if (!probe.declares('prompts')) return probe.skip('133', 'the server has no prompts');
    const session = await probe.session();
    expectError(
      probe,
      '133',
      await session.request('prompts/get', { name: 'plumb_no_such_prompt' }),
      [INVALID_PARAMS],
      'An unknown prompt',
    );
  }),
  check('134', async (probe) => {
    const session = await probe.session();
    for (const prompt of probe.catalogue.prompts) {
      const args = promptArguments(prompt);
      const [missing] = Object.keys(args);
      if (missing === undefined) continue;
      delete args[missing];
      const reply = await session.request('prompts/get', { name: textOf(prompt, 'name'), arguments: args });
      expectError(probe, '134', reply, [INVALID_PARAMS], `${textOf(prompt, 'name')} without ${missing}`);
    }
    probe.skip('134', 'no prompt has required arguments');
  }),
  check('135', (probe) => {
    for (const { subject, last } of probe.exercise.gets) {
      if (last.kind !== 'result' || last.result.resultType === 'input_required') continue;
      const messages = records(last.result.messages);
      const ok =
        Array.isArray(last.result.messages) &&
        messages.every(({ role, content }) => (role === 'user' || role === 'assistant') && isRecord(content));
      probe.judge(
        '135',
        ok,
        `${textOf(subject, 'name')}: a message without role and one content block`,
        'role user or assistant, and one block',
        last,
      );
    }
    probe.skip('135', 'the server has no prompts');
  }),
  check('138 140', async (probe) => {
    const session = await probe.session();
    const params = {
      ref: { type: 'ref/prompt', name: 'plumb_no_such_prompt' },
      argument: { name: 'x', value: '' },
    };
    const reply = await session.request('completion/complete', params);
    const declared = probe.declares('completions');
    if (declared) {
      expectError(probe, '140', reply, [INVALID_PARAMS], 'Completion for an unknown prompt');
      const served = reply.kind !== 'error' || reply.code !== METHOD_NOT_FOUND;
      probe.judge('138', served, 'Completions are declared and not served', 'completion/complete', reply);
    } else {
      expectError(probe, '140', reply, [METHOD_NOT_FOUND], 'Completion that is not supported');
      const served = await completeSomething(probe.catalogue.prompts, (request) =>
        session.request('completion/complete', request),
      );
      probe.judge(
        '138',
        !served,
        'Completions are served and not declared',
        '"completions" in the capabilities',
        reply,
      );
    }
  }),
  check('139', async (probe) => {
    const session = await probe.session();
    const prompts = probe.catalogue.prompts.flatMap((prompt) =>
      records(prompt.arguments).map((argument) => ({
        ref: { type: 'ref/prompt', name: textOf(prompt, 'name') },
        argument: { name: textOf(argument, 'name'), value: '' },
      })),
    );
    const templates = probe.catalogue.templates.flatMap((template) => {
      const uri = textOf(template, 'uriTemplate');
      return [...uri.matchAll(/\{\+?([A-Za-z0-9_]+)\}/g)].map(([, name = '']) => ({
        ref: { type: 'ref/resource', uri },
        argument: { name, value: '' },
      }));
    });
    for (const params of [...prompts, ...templates].slice(0, 20)) {
      const reply = await session.request('completion/complete', params);
      const completion =
        reply.kind === 'result' && isRecord(reply.result.completion) ? reply.result.completion : undefined;
      if (completion === undefined) continue;
      const count = Array.isArray(completion.values) ? completion.values.length : -1;
      probe.judge(
        '139',
        count >= 0 && count <= 100,
        `${count} completion values`,
        'at most 100 values',
        reply,
      );
    }
    probe.skip('139', 'nothing here can be completed');
  }),
];

async function completeSomething(
  prompts: readonly Record<string, unknown>[],
  send: (params: Record<string, unknown>) => Promise<{ kind: string }>,
): Promise<boolean> {
  for (const prompt of prompts.slice(0, 5)) {
    const [argument] = records(prompt.arguments);
    if (argument === undefined) continue;
    const params = {
      ref: { type: 'ref/prompt', name: prompt.name },
      argument: { name: argument.name, value: '' },
    };
    if ((await send(params)).kind === 'result') return true;
  }
  return false;
}
