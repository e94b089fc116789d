/** Streamable HTTP of the stateless era: statuses, and headers that repeat the body. */

import { METHOD_NOT_FOUND } from '../../../jsonrpc/codes.js';
import type { RequestId } from '../../../jsonrpc/message.js';
import { HEADER_MISMATCH, UNSUPPORTED_VERSION } from '../../../protocol/errors.js';
import { METHOD_HEADER, SESSION_HEADER, VERSION_HEADER } from '../../../protocol/mirrored-headers.js';
import { META_PROTOCOL_VERSION } from '../../../protocol/model/meta.js';
import { acrossRevisions, type Check, check, OVER_HTTP, watch } from '../../check.js';
import type { Probe } from '../../probe.js';
import { ordinal } from '../../requirements/index.js';
import { outcomeOf, type WireReply } from '../../session/reply.js';
import { HttpConnection, SSE_TYPE } from '../../wire/http-connection.js';
import { badRequests, goodRequests } from '../methods.js';
import { withVersion } from '../stateless/envelope.js';

const UNKNOWN_VERSION = '1999-01-01';

/** Refused with this code and this status. */
export function refusal(
  probe: Probe,
  id: string,
  reply: WireReply,
  status: number,
  code: number,
  what: string,
): void {
  const ok = reply.kind === 'error' && reply.code === code && reply.delivery?.status === status;
  probe.judge(
    id,
    ok,
    `${what}: HTTP ${reply.delivery?.status}, ${outcomeOf(reply)}`,
    `HTTP ${status} with error ${code}`,
    reply,
  );
}

/** Before this revision requests had no version header; a server for clients of that time may take it for one. */
const FIRST_WITH_HEADER = 3;
/** What such requests are refused with where they have no session. */
const EARLIER_CODES: ReadonlySet<number> = new Set([-32_000, -32_001, -32_600]);

function isServedAsEarlier({ spoken }: Probe, reply: WireReply): boolean {
  if (!spoken.some((revision) => ordinal(revision) < FIRST_WITH_HEADER)) return false;
  if (reply.kind === 'result') return reply.result.resultType === undefined;
  return reply.kind === 'error' && EARLIER_CODES.has(reply.code);
}

function overHttp(ids: string, run: Check['run']): Check {
  return check(ids, run, OVER_HTTP);
}

export const statelessHttpChecks: readonly Check[] = [
  acrossRevisions(
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
  ),
  watch(
    '236',
    (probe) => {
      for (const { direction, kind, text } of probe.recorder.entries) {
        if (direction !== 'received' || kind !== 'http' || !/^mcp-session-id:/im.test(text)) continue;
        probe.fail('236', 'A session id was issued', { received: text, expected: 'no session id' });
      }
    },
    OVER_HTTP,
  ),
  overHttp('236', async (probe) => {
    const session = await probe.session();
    for (const { method, params } of goodRequests(probe).slice(0, 3)) {
      const reply = await session.request(method, params, {
        headers: { [SESSION_HEADER]: 'plumb-made-this-up', 'last-event-id': '17' },
      });
      probe.judge(
        '236',
        reply.kind === 'result' && reply.delivery?.headers[SESSION_HEADER] === undefined,
        `${method} with a session id: ${outcomeOf(reply)}`,
        'it is ignored, and none is issued',
        reply,
      );
    }
  }),
  overHttp('237', async (probe) => {
    const session = await probe.session();
    const unknown = [
      'plumb/no-such-method',
      'tools/lists',
      'constructor',
      'ping',
      'logging/setLevel',
      'tasks/list',
    ];
    if (!probe.declares('completions')) unknown.push('completion/complete');
    for (const method of unknown)
      refusal(
        probe,
        '237',
        await session.request(method),
        404,
        METHOD_NOT_FOUND,
        `The unknown method ${method}`,
      );
  }),
  overHttp('238', async (probe) => {
    const session = await probe.session();
    for (const version of [UNKNOWN_VERSION, 'v999.0.0']) {
      for (const call of goodRequests(probe).slice(0, 3)) {
        const reply = await withVersion(probe, session, call, version);
        const what = `${call.method} in the unsupported version ${version}`;
        refusal(probe, '238', reply, 400, UNSUPPORTED_VERSION, what);
      }
    }
  }),
  overHttp('239', async (probe) => {
    const session = await probe.session();
    for (const { method, params } of goodRequests(probe).slice(0, 4)) {
      for (const version of [UNKNOWN_VERSION, 'plumb']) {
        const reply = await session.request(method, params, { headers: { [VERSION_HEADER]: version } });
        const what = `${method} with the version header ${version}, which contradicts _meta`;
        refusal(probe, '239', reply, 400, HEADER_MISMATCH, what);
      }
    }
    // The other way round: the header is right and the body is not.
    const meta = { [META_PROTOCOL_VERSION]: UNKNOWN_VERSION };
    const headers = { [VERSION_HEADER]: probe.revision.version };
    const reply = await session.request('server/discover', {}, { meta, headers });
    refusal(probe, '239', reply, 400, HEADER_MISMATCH, 'A version in _meta that contradicts the header');
  }),
  acrossRevisions(
    overHttp('240', async (probe) => {
      const session = await probe.session();
      for (const { method, params } of goodRequests(probe)) {
        const reply = await session.request(method, params, { headers: { [VERSION_HEADER]: undefined } });
        if (isServedAsEarlier(probe, reply)) {
          probe.pass('240');
          continue;
        }
        refusal(probe, '240', reply, 400, HEADER_MISMATCH, `${method} without the version header`);
      }
    }),
  ),
  overHttp('242', async (probe) => {
    const session = await probe.session();
    const headers = session.headersFor('server/discover', session.complete({}));
    const request = { jsonrpc: '2.0', id: 'b', method: 'server/discover', params: session.complete({}) };
    for (const [what, body] of [
      ['A batch', [request]],
      ['A batch of two', [request, { ...request, id: 'c' }]],
      ['An empty batch', []],
      ['A response', { jsonrpc: '2.0', id: 'b', result: {} }],
      ['An error response', { jsonrpc: '2.0', id: 'b', error: { code: -32603, message: 'x' } }],
    ] as const) {
      const reply = await session.exchange(JSON.stringify(body), undefined, {
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
    const wrong = { headers: { [METHOD_HEADER]: 'prompts/get' } };
    for (const { method, params } of badRequests(probe))
      for (const id of [session.nextId(), Math.floor(probe.recorder.now() * 1_000)])
        sameId(probe, id, await session.request(method, params, { id }));
    for (const id of [session.nextId(), 1_000_001])
      sameId(probe, id, await session.request('tools/list', {}, { ...wrong, id }));
    const meta = { [META_PROTOCOL_VERSION]: UNKNOWN_VERSION };
    sameId(probe, 1_000_002, await session.request('tools/list', {}, { meta, id: 1_000_002 }));
    sameId(
      probe,
      1_000_003,
      await session.request('tools/list', {}, { bare: true, id: 1_000_003, hostile: true }),
    );
  }),
];

function sameId(probe: Probe, id: RequestId, reply: WireReply): void {
  if (reply.kind !== 'error') return;
  probe.judge(
    '249',
    reply.message.id === id,
    'An error does not repeat the id of the request',
    `"id": ${JSON.stringify(id)}`,
    reply,
  );
}
