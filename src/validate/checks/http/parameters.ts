/** Arguments that travel in headers too. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { HEADER_MISMATCH } from '../../../protocol/index.js';
import { type MirroredParameter, mirroredParameters } from '../../../protocol/mirrored-headers.js';
import { textOf } from '../../catalogue.js';
import { type Check, check, OVER_HTTP } from '../../check.js';
import { validArguments } from '../../generate/arguments.js';
import type { Probe } from '../../probe.js';
import { outcomeOf } from '../../session/reply.js';

const SECRET = /password|passwd|secret|api.?key|token|credential/i;

interface Mirrored {
  readonly tool: JsonObject;
  readonly parameter: MirroredParameter;
}

/** A tool that may be called and has a parameter at its top level in a header. */
function mirrored(probe: Probe, type?: string): Mirrored | undefined {
  for (const tool of probe.tools) {
    const found = isRecord(tool.inputSchema) ? mirroredParameters(tool.inputSchema) : undefined;
    if (found?.ok !== true) continue;
    const parameter = found.parameters.find(
      (candidate) => candidate.path.length === 1 && (type === undefined || candidate.type === type),
    );
    if (parameter !== undefined) return { tool, parameter };
  }
  return undefined;
}

function valueFor(type: string): unknown {
  return type === 'integer' ? 42 : type === 'boolean' ? true : 'plumb';
}

function argumentsWith({ tool, parameter }: Mirrored, value: unknown): JsonObject {
  return { ...validArguments(tool.inputSchema), [parameter.path[0] ?? '']: value };
}

export const parameterChecks: readonly Check[] = [
  check(
    '264 269',
    async (probe) => {
      const found = mirrored(probe);
      if (found === undefined) {
        for (const id of ['264', '269']) probe.skip(id, 'no callable tool mirrors arguments');
        return;
      }
      const session = await probe.session();
      const { tool, parameter } = found;
      const params = {
        name: textOf(tool, 'name'),
        arguments: argumentsWith(found, valueFor(parameter.type)),
      };
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
      for (const [what, value] of [
        ['A wrong parameter header', 'something else'],
        ['A missing parameter header', undefined],
        ['A badly encoded parameter header', '=?base64?%%%?='],
      ] as const) {
        const reply = await session.request('tools/call', params, { headers: { [parameter.header]: value } });
        const ok = reply.kind === 'error' && reply.code === HEADER_MISMATCH && reply.delivery?.status === 400;
        probe.judge(
          '264',
          ok,
          `${what}: HTTP ${reply.delivery?.status}, ${outcomeOf(reply)}`,
          'HTTP 400 with error -32020',
          reply,
        );
      }
    },
    OVER_HTTP,
  ),
  check(
    '265',
    async (probe) => {
      const found = mirrored(probe, 'integer');
      if (found === undefined) return probe.skip('265', 'no callable tool mirrors an integer');
      const session = await probe.session();
      const params = { name: textOf(found.tool, 'name'), arguments: argumentsWith(found, 42) };
      const reply = await session.request('tools/call', params, {
        headers: { [found.parameter.header]: '42.0' },
      });
      probe.judge('265', reply.kind === 'result', `42.0 for 42: ${outcomeOf(reply)}`, 'a result', reply);
    },
    OVER_HTTP,
  ),
  check(
    '266',
    async (probe) => {
      const found = mirrored(probe);
      const name = found?.parameter.path[0] ?? '';
      const required =
        isRecord(found?.tool.inputSchema) &&
        Array.isArray(found.tool.inputSchema.required) &&
        found.tool.inputSchema.required.includes(name);
      if (found === undefined || required)
        return probe.skip('266', 'no callable tool mirrors an optional argument');
      const session = await probe.session();
      const args = validArguments(found.tool.inputSchema);
      delete args[name];
      const reply = await session.request(
        'tools/call',
        { name: textOf(found.tool, 'name'), arguments: args },
        { headers: { [found.parameter.header]: undefined } },
      );
      const refused = reply.kind === 'error' && reply.code === HEADER_MISMATCH;
      probe.judge('266', !refused, 'A header was expected for an absent argument', 'none', reply);
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
