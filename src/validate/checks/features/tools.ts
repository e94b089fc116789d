/** Tools: how they are described, and how calls go wrong. */

import { INVALID_PARAMS } from '../../../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { compileValidator } from '../../../protocol/schema/validator.js';
import { textOf } from '../../catalogue.js';
import { type Check, check } from '../../check.js';
import { type Case, invalidCases, validArguments } from '../../generate/arguments.js';
import { outcomeOf } from '../../session/reply.js';
import { expectError } from '../expect.js';
import { unknownNames } from './prompts.js';

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const MAX_INVALID_CALLS = 60;

/** Bad arguments are refused at once, by whatever is not starved of time. */
const REFUSAL_MS = 5_000;

export const toolChecks: readonly Check[] = [
  check('097', (probe) => {
    if (probe.catalogue.tools.length === 0) return probe.skip('097', 'the server has no tools');
    probe.judge(
      '097',
      probe.declares('tools'),
      'Tools are served and not declared',
      '"tools" in the capabilities',
      {
        received: JSON.stringify(probe.catalogue.capabilities),
      },
    );
  }),
  check('098', (probe) => {
    for (const tool of probe.catalogue.tools) {
      const { name, inputSchema } = tool;
      const ok =
        typeof name === 'string' && name !== '' && isRecord(inputSchema) && inputSchema.type === 'object';
      probe.judge(
        '098',
        ok,
        `Tool ${JSON.stringify(name)} has no inputSchema of type object`,
        'a name and an inputSchema of type object',
        {
          received: JSON.stringify(tool),
        },
      );
    }
  }),
  check('099 382', async (probe) => {
    for (const tool of probe.catalogue.tools) {
      for (const field of ['inputSchema', 'outputSchema'] as const) {
        const schema = tool[field];
        if (!isRecord(schema)) continue;
        const fault = await faultOf(schema);
        const received = JSON.stringify(schema);
        probe.judge(
          '099',
          fault === undefined,
          `${field} of ${textOf(tool, 'name')} is not valid: ${fault}`,
          'a schema that is valid in its dialect',
          { received },
        );
        if (schema.$schema === undefined)
          probe.judge(
            '382',
            fault === undefined,
            `${field} of ${textOf(tool, 'name')} is no 2020-12 schema: ${fault}`,
            'a 2020-12 schema',
            { received },
          );
      }
    }
  }),
  check('383', async (probe) => {
    for (const tool of probe.catalogue.tools) {
      const dialects = [tool.inputSchema, tool.outputSchema].filter(isRecord).map((schema) => schema.$schema);
      const known = dialects.every(
        (dialect) => dialect === undefined || (typeof dialect === 'string' && KNOWN_DIALECT.test(dialect)),
      );
      probe.judge(
        '383',
        known,
        `${textOf(tool, 'name')} uses an unknown schema dialect`,
        'a published JSON Schema dialect',
        {
          received: JSON.stringify(dialects),
        },
      );
    }
  }),
  check('100', (probe) => {
    const names = probe.catalogue.tools.map((tool) => textOf(tool, 'name'));
    for (const name of names) {
      probe.judge(
        '100',
        NAME.test(name),
        `The tool name ${JSON.stringify(name)} is not portable`,
        '1 to 128 of A-Z a-z 0-9 _ . -',
        { received: name },
      );
      const unique = names.indexOf(name) === names.lastIndexOf(name);
      probe.judge('100', unique, `Two tools are named ${JSON.stringify(name)}`, 'unique names', {
        received: name,
      });
    }
  }),
  check('103', async (probe) => {
    if (!probe.declares('tools')) return probe.skip('103', 'the server has no tools');
    const session = await probe.session();
    for (const name of ['plumb_no_such_tool', ...unknownNames(probe.catalogue.tools)]) {
      const [first = {}] = probe.catalogue.tools;
      const args = validArguments(first.inputSchema);
      const reply = await session.request('tools/call', { name, arguments: args });
      const what = `A call of the unknown tool ${JSON.stringify(name)}`;
      // An empty header may be refused as a missing one before the name is looked up.
      const codes = name === '' && probe.stateless ? [INVALID_PARAMS, -32020] : [INVALID_PARAMS];
      expectError(probe, '103', reply, codes, what);
    }
  }),
  check('104', (probe) => {
    const failed = probe.exercise.calls.filter(({ last }) => last.kind === 'error');
    for (const { subject, last } of failed) {
      // A refusal of the call is no failure of the tool.
      if (last.kind !== 'error' || EXPLAINED.has(last.code)) continue;
      // Arguments cannot be wrong where there are none.
      if (ABOUT_ARGUMENTS.has(last.code) && hasArguments(subject)) continue;
      probe.judge(
        '104',
        false,
        `${textOf(subject, 'name')} failed with error ${last.code}`,
        'a result with isError',
        last,
      );
    }
    const told = probe.exercise.calls.some(
      ({ last }) => last.kind === 'result' && last.result.isError === true,
    );
    if (told) probe.pass('104');
    else probe.skip('104', 'no callable tool failed');
  }),
  check('105 116', async (probe) => {
    const session = await probe.session();
    let calls = 0;
    for (const { tool, name, args } of inTurns(probe.tools)) {
      calls += 1;
      if (calls > MAX_INVALID_CALLS) return;
      const params = { name: textOf(tool, 'name'), arguments: args };
      const reply = await session.request('tools/call', params, {
        timeoutMs: Math.min(probe.settings.timeoutMs, REFUSAL_MS),
      });
      // A tool that is still at work may be looking at its arguments.
      if (reply.kind === 'silence') continue;
      const noticed = reply.kind === 'error' || (reply.kind === 'result' && reply.result.isError === true);
      // Over HTTP a mirrored argument of a wrong type is a header that cannot match.
      const header = reply.kind === 'error' && reply.code === -32020;
      probe.judge(
        '116',
        noticed,
        `${textOf(tool, 'name')} (${name}): ${outcomeOf(reply)}`,
        'a refusal',
        reply,
      );
      if (!header && noticed)
        probe.judge(
          '105',
          reply.kind === 'result',
          `${textOf(tool, 'name')} (${name}): ${outcomeOf(reply)}`,
          'a result with isError',
          reply,
        );
    }
    for (const id of ['105', '116']) probe.skip(id, 'no callable tool has arguments that can be wrong');
  }),
];

const EXPLAINED: ReadonlySet<number> = new Set([-32600, -32601, -32020, -32021, -32042]);
const ABOUT_ARGUMENTS: ReadonlySet<number> = new Set([-32602]);

function hasArguments({ inputSchema }: JsonObject): boolean {
  return (
    isRecord(inputSchema) &&
    isRecord(inputSchema.properties) &&
    Object.keys(inputSchema.properties).length > 0
  );
}
/** The first case of every tool, then the second of every tool: each gets its share of the calls. */
function inTurns(tools: readonly JsonObject[]): readonly (Case & { tool: JsonObject })[] {
  const cases = tools.map((tool) => invalidCases(tool.inputSchema).map((item) => ({ ...item, tool })));
  const longest = Math.max(0, ...cases.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    cases.flatMap((own) => own.slice(index, index + 1)),
  ).flat();
}

const KNOWN_DIALECT =
  /^https?:\/\/json-schema\.org\/(draft-0[3467]\/schema|draft\/(2019-09|2020-12)\/schema)#?$/;

async function faultOf(schema: JsonObject): Promise<string | undefined> {
  try {
    await compileValidator(schema);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Old drafts and references to elsewhere are legal; we only cannot judge them. One into itself leads somewhere.
    if (/can't resolve reference #/.test(message)) return message;
    return /not supported|can't resolve reference|draft-0[346]/.test(message) ? undefined : message;
  }
}
