/** Arguments that travel in headers too. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { HEADER_MISMATCH } from '../../../protocol/errors.js';
import { type MirroredParameter, mirroredParameters } from '../../../protocol/mirrored-headers.js';
import { textOf } from '../../catalogue.js';
import { type Check, check, OVER_HTTP, ownCheck } from '../../check.js';
import { validArguments } from '../../generate/arguments.js';
import type { Probe } from '../../probe.js';
import { outcomeOf, type WireReply } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';

const SECRET = /password|passwd|secret|api.?key|token|credential/i;

interface Mirrored {
  readonly tool: JsonObject;
  readonly parameter: MirroredParameter;
}

/** Parameters at the top level of tools that may be called, one of each type for each tool. */
function mirrored(probe: Probe, type?: string): readonly Mirrored[] {
  return probe.tools.flatMap((tool) => {
    const found = isRecord(tool.inputSchema) ? mirroredParameters(tool.inputSchema) : undefined;
    if (found?.ok !== true) return [];
    return found.parameters
      .filter((candidate) => candidate.path.length === 1 && (type === undefined || candidate.type === type))
      .map((parameter) => ({ tool, parameter }));
  });
}

function valueFor(type: string): unknown {
  return type === 'integer' ? 42 : type === 'boolean' ? true : 'plumb';
}

function argumentsWith({ tool, parameter }: Mirrored, value: unknown): JsonObject {
  return { ...validArguments(tool.inputSchema), [parameter.path[0] ?? '']: value };
}

export const parameterChecks: readonly Check[] = [
  ownCheck(
    '264 269',
    async (probe) => {
      const { session } = await probe.open();
      for (const found of mirrored(probe).slice(0, 6)) await judgeHeader(probe, session, found);
      probe.skipAll('264 269', 'no callable tool mirrors arguments');
    },
    OVER_HTTP,
  ),
  ownCheck(
    '265',
    async (probe) => {
      const [found] = mirrored(probe, 'integer');
      if (found === undefined) return probe.skip('265', 'no callable tool mirrors an integer');
      const { session } = await probe.open();
      const params = { name: textOf(found.tool, 'name'), arguments: argumentsWith(found, 42) };
      for (const text of ['42.0', '42.00']) {
        const reply = await session.request('tools/call', params, {
          headers: { [found.parameter.header]: text },
        });
        probe.judge('265', reply.kind === 'result', `${text} for 42: ${outcomeOf(reply)}`, 'a result', reply);
      }
    },
    OVER_HTTP,
  ),
  ownCheck(
    '266',
    async (probe) => {
      const { session } = await probe.open();
      for (const found of mirrored(probe).slice(0, 6)) {
        const name = found.parameter.path[0] ?? '';
        const { inputSchema } = found.tool;
        const required =
          isRecord(inputSchema) && Array.isArray(inputSchema.required) ? inputSchema.required : [];
        if (required.includes(name)) continue;
        const { [name]: _, ...args } = validArguments(inputSchema);
        for (const given of [args, { ...args, [name]: null }]) {
          const reply = await session.request(
            'tools/call',
            { name: textOf(found.tool, 'name'), arguments: given },
            { headers: { [found.parameter.header]: undefined } },
          );
          const refused = reply.kind === 'error' && reply.code === HEADER_MISMATCH;
          const what = name in given ? 'null' : 'absent';
          probe.judge(
            '266',
            !refused,
            `A header was expected for an argument that is ${what}`,
            'none',
            reply,
          );
        }
      }
      probe.skip('266', 'no callable tool mirrors an optional argument');
    },
    OVER_HTTP,
  ),
  check('268 270', (probe) => {
    for (const tool of probe.catalogue.tools) {
      if (!isRecord(tool.inputSchema) || !JSON.stringify(tool.inputSchema).includes('"x-mcp-header"'))
        continue;
      const found = mirroredParameters(tool.inputSchema);
      const received = JSON.stringify(tool.inputSchema);
      probe.judge(
        '268',
        found.ok,
        `${textOf(tool, 'name')}: ${found.ok ? '' : found.reason}`,
        'valid x-mcp-header annotations',
        { received },
      );
      const secret = found.ok ? found.parameters.find(({ path }) => SECRET.test(path.join('.'))) : undefined;
      probe.judge(
        '270',
        secret === undefined,
        `${textOf(tool, 'name')} puts ${secret?.path.join('.')} into a header`,
        'no secrets in headers',
        { received },
      );
    }
    for (const id of ['268', '270']) probe.skip(id, 'no tool has x-mcp-header annotations');
  }),
];

async function judgeHeader(probe: Probe, session: ValidatorSession, found: Mirrored): Promise<void> {
  const { tool, parameter } = found;
  const value = valueFor(parameter.type);
  const params = { name: textOf(tool, 'name'), arguments: argumentsWith(found, value) };
  const send = (header: string | undefined): Promise<WireReply> =>
    session.request('tools/call', params, { headers: { [parameter.header]: header } });
  const right = await session.request('tools/call', params, {
    headers: { 'mcp-param-plumb-unknown': 'x' },
  });
  probe.judge(
    '269',
    right.kind === 'result',
    `An unknown Mcp-Param header: ${outcomeOf(right)}`,
    'it is ignored',
    right,
  );
  const encoded = Buffer.from(String(value)).toString('base64');
  const other = Buffer.from('something else').toString('base64');
  if (parameter.type === 'string') {
    const reply = await send(`=?base64?${encoded}?=`);
    probe.judge(
      '264',
      reply.kind === 'result',
      `An encoded parameter header: ${outcomeOf(reply)}`,
      'it is decoded before it is compared',
      reply,
    );
  }
  for (const [what, header] of [
    ['A wrong parameter header', 'something else'],
    ['A missing parameter header', undefined],
    ['A badly encoded parameter header', '=?base64?%%%?='],
    ['An encoded parameter header that is wrong', `=?base64?${other}?=`],
    ['A parameter header that is longer', `${String(value)}0`],
  ] as const) {
    const reply = await send(header);
    const ok = reply.kind === 'error' && reply.code === HEADER_MISMATCH && reply.delivery?.status === 400;
    probe.judge(
      '264',
      ok,
      `${what}: HTTP ${reply.delivery?.status}, ${outcomeOf(reply)}`,
      'HTTP 400 with error -32020',
      reply,
    );
  }
}
