/** Streamable HTTP of the stateless era: statuses, and headers that repeat the body. */

import { METHOD_NOT_FOUND } from '../../../jsonrpc/codes.js';
import { isRecord } from '../../../jsonrpc/message.js';
import { HEADER_MISMATCH, META_PROTOCOL_VERSION, UNSUPPORTED_VERSION } from '../../../protocol/index.js';
import {
  encodeHeaderValue,
  METHOD_HEADER,
  NAME_HEADER,
  SESSION_HEADER,
  VERSION_HEADER,
} from '../../../protocol/mirrored-headers.js';
import { textOf } from '../../catalogue.js';
import { type Check, check, OVER_HTTP } from '../../check.js';
import type { Probe } from '../../probe.js';
import { outcomeOf, type Reply } from '../../session/reply.js';
import { HttpConnection, SSE_TYPE } from '../../wire/http-connection.js';

const UNKNOWN_VERSION = '1999-01-01';

/** Refused with this code and this status. */
function refusal(probe: Probe, id: string, reply: Reply, status: number, code: number, what: string): void {
  const ok = reply.kind === 'error' && reply.code === code && reply.delivery?.status === status;
  probe.judge(
    id,
    ok,
    `${what}: HTTP ${reply.delivery?.status}, ${outcomeOf(reply)}`,
    `HTTP ${status} with error ${code}`,
    reply,
  );
}

function overHttp(ids: string, run: Check['run']): Check {
  return check(ids, run, OVER_HTTP);
}

export const statelessHttpChecks: readonly Check[] = [
  overHttp('235', async (probe) => {
    if (probe.spoken.some(({ lifecycle }) => lifecycle === 'handshake'))
      return probe.skip('235', 'the server speaks the handshake era too');
    const { connection } = await probe.session();
    if (!(connection instanceof HttpConnection)) return;
    for (const method of ['GET', 'DELETE']) {
      const delivery = await connection.fetch({ method, headers: { accept: SSE_TYPE } });
      delivery.abort();
      probe.judge('235', delivery.status === 405, `${method} was answered with ${delivery.status}`, '405', {
        sent: method,
        received: `HTTP ${delivery.status}`,
      });
    }
  }),
  overHttp('236', async (probe) => {
    const session = await probe.session();
    const reply = await session.request(
      'server/discover',
      {},
      { headers: { [SESSION_HEADER]: 'plumb-made-this-up', 'last-event-id': '17' } },
    );
    probe.judge(
      '236',
      reply.kind === 'result' && reply.delivery?.headers[SESSION_HEADER] === undefined,
      `A request with a session id: ${outcomeOf(reply)}`,
      'it is ignored, and none is issued',
      reply,
    );
  }),
  overHttp('237', async (probe) => {
    const session = await probe.session();
    refusal(
      probe,
      '237',
      await session.request('plumb/no-such-method'),
      404,
      METHOD_NOT_FOUND,
      'An unknown method',
    );
  }),
  overHttp('238', async (probe) => {
    const session = await probe.session();
    const meta = { [META_PROTOCOL_VERSION]: UNKNOWN_VERSION };
    refusal(
      probe,
      '238',
      await session.request('tools/list', {}, { meta }),
      400,
      UNSUPPORTED_VERSION,
      'An unsupported version',
    );
  }),
  overHttp('239', async (probe) => {
    const session = await probe.session();
    refusal(
      probe,
      '239',
      await session.request('tools/list', {}, { headers: { [VERSION_HEADER]: UNKNOWN_VERSION } }),
      400,
      HEADER_MISMATCH,
      'A version header that contradicts _meta',
    );
  }),
  overHttp('240', async (probe) => {
    const session = await probe.session();
    refusal(
      probe,
      '240',
      await session.request('tools/list', {}, { headers: { [VERSION_HEADER]: undefined } }),
      400,
      HEADER_MISMATCH,
      'A request without the version header',
    );
  }),
  overHttp('242', async (probe) => {
    const session = await probe.session();
    const headers = session.headersFor('server/discover', session.complete({}));
    for (const [what, body] of [
      [
        'A batch',
        JSON.stringify([
          { jsonrpc: '2.0', id: 'b', method: 'server/discover', params: session.complete({}) },
        ]),
      ],
      ['A response', JSON.stringify({ jsonrpc: '2.0', id: 'b', result: {} })],
    ] as const) {
      const reply = await session.exchange(body, undefined, {
        headers,
        hostile: true,
        timeoutMs: probe.settings.quietMs * 2,
      });
      const status = reply.delivery?.status ?? 0;
      probe.judge(
        '242',
        status >= 400 && status < 500,
        `${what} was answered with ${status}`,
        'a refusal',
        reply,
      );
    }
  }),
  overHttp('249', async (probe) => {
    const session = await probe.session();
    const replies = [
      await session.request('plumb/no-such-method'),
      await session.request('tools/list', {}, { headers: { [METHOD_HEADER]: 'tools/call' } }),
      await session.request('tools/list', {}, { meta: { [META_PROTOCOL_VERSION]: UNKNOWN_VERSION } }),
    ];
    for (const reply of replies) {
      if (reply.kind !== 'error') continue;
      const sent: unknown = JSON.parse(reply.sent);
      const id = isRecord(sent) ? sent.id : undefined;
      probe.judge(
        '249',
        reply.message.id === id,
        'An error does not repeat the id of the request',
        `"id": ${JSON.stringify(id)}`,
        reply,
      );
    }
  }),
  overHttp('253 255 256 257', async (probe) => {
    const session = await probe.session();
    const cases: [string, Record<string, string | undefined>][] = [
      ['A missing Mcp-Method', { [METHOD_HEADER]: undefined }],
      ['A wrong Mcp-Method', { [METHOD_HEADER]: 'prompts/list' }],
    ];
    for (const [what, headers] of cases)
      refusal(probe, '253', await session.request('tools/list', {}, { headers }), 400, HEADER_MISMATCH, what);
    refusal(
      probe,
      '256',
      await session.request('tools/list', {}, { headers: { [METHOD_HEADER]: 'TOOLS/LIST' } }),
      400,
      HEADER_MISMATCH,
      'A method in capitals',
    );
    const named = await session.request(
      'server/discover',
      {},
      { headers: { [METHOD_HEADER]: undefined, 'MCP-METHOD': 'server/discover' } },
    );
    probe.judge(
      '255',
      named.kind === 'result',
      `MCP-METHOD in capitals: ${outcomeOf(named)}`,
      'a result',
      named,
    );
    const spaced = await session.request(
      'server/discover',
      {},
      { headers: { [METHOD_HEADER]: ' server/discover\t' } },
    );
    probe.judge(
      '257',
      spaced.kind === 'result',
      `A header with spaces around its value: ${outcomeOf(spaced)}`,
      'a result',
      spaced,
    );
    await nameHeaders(probe);
  }),
  overHttp('254', async (probe) => {
    const call = probe.goodCall;
    if (call === undefined) return probe.skip('254', 'no tool may be called');
    const session = await probe.session();
    const name = textOf(call.subject, 'name');
    const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`;
    const reply = await session.request(call.method, call.params, { headers: { [NAME_HEADER]: encoded } });
    probe.judge(
      '254',
      reply.kind === 'result',
      `An encoded Mcp-Name: ${outcomeOf(reply)}`,
      'a result',
      reply,
    );
  }),
];

async function nameHeaders(probe: Probe): Promise<void> {
  const call = probe.goodCall;
  if (call === undefined) return;
  const session = await probe.session();
  for (const [what, value] of [
    ['A missing Mcp-Name', undefined],
    ['A wrong Mcp-Name', encodeHeaderValue('plumb_other_tool')],
  ] as const) {
    const reply = await session.request(call.method, call.params, { headers: { [NAME_HEADER]: value } });
    refusal(probe, '253', reply, 400, HEADER_MISMATCH, what);
  }
}
