/** Headers that repeat the method and the name: missing, wrong, encoded, in other letters, with spaces. */

import { isRecord } from '../../../jsonrpc/message.js';
import { HEADER_MISMATCH } from '../../../protocol/errors.js';
import {
  encodeHeaderValue,
  METHOD_HEADER,
  NAME_HEADER,
  nameOf,
  VERSION_HEADER,
} from '../../../protocol/mirrored-headers.js';
import { textOf } from '../../catalogue.js';
import { type Check, OVER_HTTP, ownCheck } from '../../check.js';
import type { Probe } from '../../probe.js';
import { outcomeOf, type WireReply } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';
import { goodRequests, type MethodCall } from '../methods.js';
import { refusal } from './stateless.js';

type Headers = Readonly<Record<string, string | undefined>>;

export const mirroredChecks: readonly Check[] = [
  ownCheck(
    '253 255 256 257',
    async (probe) => {
      const { session } = await probe.open();
      for (const call of goodRequests(probe)) {
        const send = (headers: Headers): Promise<WireReply> =>
          session.request(call.method, call.params, { headers });
        const wrong = call.method === 'prompts/list' ? 'tools/list' : 'prompts/list';
        const refused = async (id: string, what: string, headers: Headers): Promise<void> =>
          refusal(probe, id, await send(headers), 400, HEADER_MISMATCH, `${call.method}: ${what}`);
        await refused('253', 'no Mcp-Method', { [METHOD_HEADER]: undefined });
        await refused('253', 'a wrong Mcp-Method', { [METHOD_HEADER]: wrong });
        await refused('256', 'Mcp-Method in capitals', { [METHOD_HEADER]: call.method.toUpperCase() });
        served(probe, '255', 'MCP-METHOD in capitals', await send(renamed(METHOD_HEADER, call.method)));
        const version = renamed(VERSION_HEADER, probe.revision.version);
        served(probe, '255', 'MCP-PROTOCOL-VERSION in capitals', await send(version));
        served(
          probe,
          '257',
          'Mcp-Method with spaces around it',
          await send({ [METHOD_HEADER]: ` ${call.method}\t` }),
        );
      }
    },
    OVER_HTTP,
  ),
  ownCheck(
    '253 254 255 256 257',
    async (probe) => {
      const { session } = await probe.open();
      const named = goodRequests(probe).filter(({ method, params }) => nameOf(method, params) !== undefined);
      if (named.length === 0) return probe.skip('254', 'no tool, resource or prompt can be used here');
      for (const call of named) await judgeName(probe, session, call);
    },
    OVER_HTTP,
  ),
];

async function judgeName(probe: Probe, session: ValidatorSession, call: MethodCall): Promise<void> {
  const name = nameOf(call.method, call.params) ?? '';
  const send = (headers: Headers): Promise<WireReply> =>
    session.request(call.method, call.params, { headers });
  const refused = async (id: string, what: string, headers: Headers): Promise<void> =>
    refusal(probe, id, await send(headers), 400, HEADER_MISMATCH, `${call.method}: ${what}`);
  await refused('253', 'no Mcp-Name', { [NAME_HEADER]: undefined });
  await refused('253', 'a wrong Mcp-Name', { [NAME_HEADER]: encodeHeaderValue(`${name}-plumb`) });
  const sibling = siblingOf(probe, call.method, name);
  if (sibling !== undefined)
    await refused('253', 'the Mcp-Name of another one', { [NAME_HEADER]: encodeHeaderValue(sibling) });
  const encoded = Buffer.from(name).toString('base64');
  await refused('253', 'an Mcp-Name with broken base64', { [NAME_HEADER]: '=?base64?%%%?=' });
  // Only the exact letters mark an encoded value; anything else is the value itself.
  await refused('253', 'an Mcp-Name with an unknown encoding', { [NAME_HEADER]: `=?BASE64?${encoded}?=` });
  served(
    probe,
    '254',
    `${call.method}: an encoded Mcp-Name`,
    await send({ [NAME_HEADER]: `=?base64?${encoded}?=` }),
  );
  const wrong = Buffer.from(`${name}-plumb`).toString('base64');
  await refused('254', 'an encoded Mcp-Name that is wrong', { [NAME_HEADER]: `=?base64?${wrong}?=` });
  served(
    probe,
    '255',
    `${call.method}: MCP-NAME in capitals`,
    await send(renamed(NAME_HEADER, encodeHeaderValue(name))),
  );
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  if (other !== name)
    await refused('256', 'an Mcp-Name in other letters', { [NAME_HEADER]: encodeHeaderValue(other) });
  if (encodeHeaderValue(name) === name)
    served(
      probe,
      '257',
      `${call.method}: Mcp-Name with spaces around it`,
      await send({ [NAME_HEADER]: ` ${name}\t` }),
    );
}

/** Something else that exists, and that the same method is used on. */
function siblingOf({ catalogue }: Probe, method: string, name: string): string | undefined {
  const names =
    method === 'tools/call'
      ? catalogue.tools.map((tool) => textOf(tool, 'name'))
      : method === 'prompts/get'
        ? catalogue.prompts.map((prompt) => textOf(prompt, 'name'))
        : catalogue.resources.map((resource) => textOf(resource, 'uri'));
  return names.find((other) => other !== name && other !== '');
}

/** The same header under a name in capitals. */
function renamed(header: string, value: string): Headers {
  return { [header]: undefined, [header.toUpperCase()]: value };
}

function served(probe: Probe, id: string, what: string, reply: WireReply): void {
  const ok = reply.kind === 'result' && !(isRecord(reply.result) && reply.result.isError === true);
  probe.judge(id, ok, `${what}: ${outcomeOf(reply)}`, 'a result', reply);
}
