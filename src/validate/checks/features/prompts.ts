/** Prompts and completion. */

import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { records, textOf } from '../../catalogue.js';
import { type Check, check } from '../../check.js';
import { promptArguments } from '../../exercise.js';
import { expectError } from '../expect.js';
import { references } from '../methods.js';

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
    const [first = {}] = probe.catalogue.prompts;
    for (const name of unknownNames(probe.catalogue.prompts))
      expectError(
        probe,
        '133',
        await session.request('prompts/get', { name, arguments: promptArguments(first) }),
        [INVALID_PARAMS],
        `The unknown prompt ${JSON.stringify(name)}`,
      );
  }),
  check('134', async (probe) => {
    const session = await probe.session();
    for (const prompt of probe.catalogue.prompts) {
      const all = promptArguments(prompt);
      for (const missing of Object.keys(all)) {
        const { [missing]: _, ...args } = all;
        const reply = await session.request('prompts/get', { name: textOf(prompt, 'name'), arguments: args });
        expectError(probe, '134', reply, [INVALID_PARAMS], `${textOf(prompt, 'name')} without ${missing}`);
      }
      if (Object.keys(all).length === 0) continue;
      const bare = await session.request('prompts/get', { name: textOf(prompt, 'name') });
      expectError(probe, '134', bare, [INVALID_PARAMS], `${textOf(prompt, 'name')} without arguments`);
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
    const declared = probe.declares('completions');
    for (const params of BAD_REFERENCES) {
      const reply = await session.request('completion/complete', params);
      const what = `Completion for ${JSON.stringify(params.ref)}`;
      expectError(probe, '140', reply, [declared ? INVALID_PARAMS : METHOD_NOT_FOUND], what);
      const served = reply.kind !== 'error' || reply.code !== METHOD_NOT_FOUND;
      if (declared)
        probe.judge('138', served, 'Completions are declared and not served', 'completion/complete', reply);
    }
    if (declared) return;
    for (const params of references(probe).slice(0, 5)) {
      const reply = await session.request('completion/complete', params);
      probe.judge(
        '138',
        reply.kind !== 'result',
        'Completions are served and not declared',
        '"completions" in the capabilities',
        reply,
      );
    }
  }),
  check('139', async (probe) => {
    const session = await probe.session();
    for (const params of references(probe).slice(0, 20)) {
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

const BAD_REFERENCES = [
  { ref: { type: 'ref/prompt', name: 'plumb_no_such_prompt' }, argument: { name: 'x', value: '' } },
  { ref: { type: 'ref/resource', uri: 'plumb-validate://no/{such}' }, argument: { name: 'such', value: '' } },
  { ref: { type: 'ref/plumb', name: 'x' }, argument: { name: 'x', value: '' } },
] as const;

/** Names that are not in the list: invented, empty, in other letters, and what every object of a program has. */
export function unknownNames(items: readonly JsonObject[]): readonly string[] {
  const names = new Set(items.map((item) => textOf(item, 'name')));
  const [first = 'x'] = names;
  const other = first === first.toUpperCase() ? first.toLowerCase() : first.toUpperCase();
  return ['plumb_no_such_thing', '', 'constructor', '__proto__', other].filter((name) => !names.has(name));
}
