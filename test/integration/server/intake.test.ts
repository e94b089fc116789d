/**
 * The same messages over memory, stdio, HTTP on Node and fetch have the same outcome: one intake judges them all.
 * Over HTTP a row also names the status that goes with it.
 */

import { describe, expect, it } from 'vitest';
import type { ServerOptions } from '../../../src/server/index.js';
import { cleanup } from '../../support/cleanup.js';
import { CHANNELS, connectIntake, type IntakeClient, WaitingServer } from '../../support/intake-channels.js';
import { envelope, type WireMessage } from '../../support/wire-peer.js';

const NO_JSON = -32700;
const INVALID = -32600;
const NO_METHOD = -32601;
const BAD_PARAMS = -32602;
const INTERNAL = -32603;
const NO_VERSION = -32022;

/** An answer: its id, and `ok` or the code of its error. */
type Answer = readonly [id: string | number | null | undefined, outcome: 'ok' | number];

interface Row {
  /** A sentence that begins with what is sent. */
  readonly it: string;
  /** The session that it is sent in; without one by default. */
  readonly in?: string;
  readonly server?: Partial<ServerOptions>;
  /** Ids of calls that are running by then. */
  readonly running?: readonly (string | number)[];
  readonly send: unknown;
  readonly answers: readonly Answer[];
  readonly batch?: boolean;
  readonly status: number;
  /** Ids of calls that it cancels. */
  readonly cancels?: readonly (string | number)[];
}

const call = (id: unknown, method: string, params?: object) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});
const tool = (id: unknown, name: string) => call(id, 'tools/call', { name });
const stateless = (id: unknown, method: string, params: object = {}, meta: object = envelope()) =>
  call(id, method, { ...params, _meta: meta });
const notify = (method: string, params?: object) => ({ jsonrpc: '2.0', method, ...(params && { params }) });
const initialize = (id: unknown, protocolVersion: unknown = '2025-11-25') =>
  call(id, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } });

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const NEWEST = '2025-11-25';
const BATCHING = '2025-03-26';
const FIRST = '2024-11-05';

const HANDSHAKE_ONLY: Partial<ServerOptions> = { revisions: [BATCHING, NEWEST] };
const STATELESS_ONLY: Partial<ServerOptions> = { revisions: ['2026-07-28'] };

// biome-ignore format: a table, one case a line
const ROWS: readonly Row[] = [
  // The era.
  { it: 'a request with an envelope is served without a session', send: stateless(1, 'tools/list'), answers: [[1, 'ok']], status: 200 },
  { it: 'a request with an envelope is stateless within a session too', in: NEWEST, send: stateless(1, 'server/discover'), answers: [[1, 'ok']], status: 200 },
  { it: 'a method of the handshake era does not exist in an envelope', in: NEWEST, send: stateless(1, 'ping'), answers: [[1, NO_METHOD]], status: 404 },
  { it: '`initialize` in an envelope does not exist', send: stateless(1, 'initialize', { protocolVersion: NEWEST }), answers: [[1, NO_METHOD]], status: 404 },
  { it: 'a tool call in an envelope is served', send: stateless('a', 'tools/call', { name: 'now' }), answers: [['a', 'ok']], status: 200 },
  { it: 'an asynchronous tool call in an envelope is served', send: stateless('a', 'tools/call', { name: 'later' }), answers: [['a', 'ok']], status: 200 },
  { it: 'an unknown tool in an envelope is an invalid parameter', send: stateless(1, 'tools/call', { name: 'none' }), answers: [[1, BAD_PARAMS]], status: 200 },
  { it: 'an envelope without capabilities is incomplete', send: stateless(1, 'tools/list', {}, { [VERSION_KEY]: '2026-07-28' }), answers: [[1, BAD_PARAMS]], status: 400 },
  { it: 'an envelope without a version is incomplete', send: stateless(1, 'tools/list', {}, { [CAPABILITIES_KEY]: {} }), answers: [[1, BAD_PARAMS]], status: 400 },
  { it: 'an envelope without a version is incomplete within a session too', in: NEWEST, send: stateless(1, 'tools/list', {}, { [CAPABILITIES_KEY]: {} }), answers: [[1, BAD_PARAMS]], status: 400 },
  { it: 'an envelope whose version is a number is incomplete', send: stateless(1, 'tools/list', {}, { [VERSION_KEY]: 7, [CAPABILITIES_KEY]: {} }), answers: [[1, BAD_PARAMS]], status: 400 },
  { it: 'an envelope of an unknown version is refused with the versions there are', send: stateless(1, 'tools/list', {}, envelope({}, '2099-01-01')), answers: [[1, NO_VERSION]], status: 400 },
  { it: 'an envelope of a handshake revision is refused', send: stateless(1, 'tools/list', {}, envelope({}, NEWEST)), answers: [[1, NO_VERSION]], status: 400 },
  { it: 'an envelope with an unknown log level is refused', send: stateless(1, 'tools/list', {}, envelope({ logLevel: 'shout' })), answers: [[1, BAD_PARAMS]], status: 400 },
  { it: '`_meta` without an envelope leaves a request in its session', in: NEWEST, send: call(1, 'tools/list', { _meta: { progressToken: 1 } }), answers: [[1, 'ok']], status: 200 },
  { it: 'a stateless method without an envelope is told what it lacks', send: call(1, 'server/discover'), answers: [[1, BAD_PARAMS]], status: 400 },
  { it: 'a stateless method without an envelope does not exist in a session', in: NEWEST, send: call(1, 'server/discover'), answers: [[1, NO_METHOD]], status: 200 },
  { it: 'an unknown method in an envelope does not exist', send: stateless(1, 'no/such'), answers: [[1, NO_METHOD]], status: 404 },
  { it: 'a method of the author is served in an envelope', send: stateless(1, 'x/own'), answers: [[1, 'ok']], status: 200 },
  { it: 'a method that the server has nothing for does not exist in an envelope', send: stateless(1, 'prompts/list'), answers: [[1, NO_METHOD]], status: 404 },
  { it: 'half an envelope for a server of handshake revisions is none', server: HANDSHAKE_ONLY, in: BATCHING, send: stateless(1, 'tools/list', {}, { [CAPABILITIES_KEY]: {} }), answers: [[1, 'ok']], status: 200 },
  { it: 'a request without an envelope for a stateless server is told what it lacks', server: STATELESS_ONLY, send: call(1, 'tools/list'), answers: [[1, BAD_PARAMS]], status: 400 },
  { it: '`initialize` for a stateless server is refused with the versions there are', server: STATELESS_ONLY, send: initialize(1), answers: [[1, NO_VERSION]], status: 400 },

  // The session.
  { it: '`initialize` opens a session', send: initialize(1), answers: [[1, 'ok']], status: 200 },
  { it: '`initialize` of an unknown version opens a session in another', send: initialize(1, '1999-01-01'), answers: [[1, 'ok']], status: 200 },
  { it: '`initialize` without a version is an invalid parameter', send: call(1, 'initialize', {}), answers: [[1, BAD_PARAMS]], status: 400 },
  { it: '`initialize` without params is an invalid parameter', send: call(1, 'initialize'), answers: [[1, BAD_PARAMS]], status: 400 },
  { it: '`initialize` with a number for a version is an invalid parameter', send: initialize(1, 7), answers: [[1, BAD_PARAMS]], status: 400 },
  { it: 'a second `initialize` is refused', in: NEWEST, send: initialize(1), answers: [[1, INVALID]], status: 400 },
  { it: 'an `initialize` that is larger than a session may be is refused', server: { limits: { sessionBytes: 10 } }, send: initialize(1), answers: [[1, BAD_PARAMS]], status: 400 },
  { it: 'a request before `initialize` is refused', send: call(1, 'tools/list'), answers: [[1, INVALID]], status: 400 },
  { it: 'an unknown method before `initialize` does not exist', send: call(1, 'no/such'), answers: [[1, NO_METHOD]], status: 400 },
  { it: 'a method of the author before `initialize` is refused', send: call(1, 'x/own'), answers: [[1, INVALID]], status: 400 },
  { it: 'a request in a session is served', in: NEWEST, send: tool('x', 'now'), answers: [['x', 'ok']], status: 200 },
  { it: 'an asynchronous request in a session is served', in: FIRST, send: tool('x', 'later'), answers: [['x', 'ok']], status: 200 },
  { it: '`ping` in a session is answered', in: NEWEST, send: call(0, 'ping'), answers: [[0, 'ok']], status: 200 },
  { it: 'an unknown method in a session does not exist', in: NEWEST, send: call(1, 'no/such'), answers: [[1, NO_METHOD]], status: 200 },
  { it: 'an unknown tool in a session is an invalid parameter', in: NEWEST, send: tool(1, 'none'), answers: [[1, BAD_PARAMS]], status: 200 },
  { it: 'a notification in a session has no answer', in: NEWEST, send: notify('notifications/roots/list_changed'), answers: [], status: 202 },
  { it: 'an unknown notification in a session has no answer', in: NEWEST, send: notify('notifications/none'), answers: [], status: 202 },
  { it: 'a notification before `initialize` has no answer on streams', send: notify('notifications/none'), answers: [], status: 400 },
  { it: 'a notification in an envelope has no answer', send: notify('notifications/none', { _meta: envelope() }), answers: [], status: 202 },
  { it: 'an answer to no question has no answer', in: NEWEST, send: { jsonrpc: '2.0', id: 'q', result: {} }, answers: [], status: 202 },
  { it: 'an error to no question has no answer', in: NEWEST, send: { jsonrpc: '2.0', id: 'q', error: { code: 1, message: 'no' } }, answers: [], status: 202 },
  { it: 'an answer before `initialize` has no answer on streams', send: { jsonrpc: '2.0', id: 'q', result: {} }, answers: [], status: 400 },

  // Ids and limits.
  { it: 'a request with the id of a running call is refused', in: NEWEST, running: [7], send: tool(7, 'now'), answers: [[7, INVALID]], status: 400 },
  { it: 'a number and a string are two ids', in: NEWEST, running: [7], send: tool('7', 'now'), answers: [['7', 'ok']], status: 200 },
  { it: 'a request beyond `limits.concurrentCalls` is refused', in: NEWEST, server: { limits: { concurrentCalls: 2 } }, running: [7, 8], send: tool(9, 'now'), answers: [[9, INTERNAL]], status: 429 },
  { it: 'a request beyond `limits.totalCalls` is refused', in: NEWEST, server: { limits: { totalCalls: 1 } }, running: [7], send: tool(9, 'now'), answers: [[9, INTERNAL]], status: 429 },
  { it: 'a stateless request beyond `limits.totalCalls` is refused', in: NEWEST, server: { limits: { totalCalls: 1 } }, running: [7], send: stateless(9, 'tools/list'), answers: [[9, INTERNAL]], status: 429 },
  { it: 'a large message beyond `limits.messageBytes` is refused', in: NEWEST, server: { limits: { messageBytes: 1000 } }, send: call(1, 'tools/list', { pad: 'x'.repeat(20_000) }), answers: [[1, INTERNAL]], status: 429 },
  { it: '`ping` beyond the limits is refused like the rest', in: NEWEST, server: { limits: { totalCalls: 1 } }, running: [7], send: call(1, 'ping'), answers: [[1, INTERNAL]], status: 429 },
  { it: '`notifications/cancelled` cancels a call', in: NEWEST, running: [7, 8], send: notify('notifications/cancelled', { requestId: 7 }), answers: [], status: 202, cancels: [7] },
  { it: '`notifications/cancelled` for an unknown id does nothing', in: NEWEST, running: [7], send: notify('notifications/cancelled', { requestId: 'none' }), answers: [], status: 202 },
  { it: '`notifications/cancelled` without an id does nothing', in: NEWEST, running: [7], send: notify('notifications/cancelled'), answers: [], status: 202 },

  // Batches.
  { it: 'a batch is answered in one', in: BATCHING, send: [tool(1, 'later'), tool(2, 'now'), call(3, 'ping')], answers: [[1, 'ok'], [2, 'ok'], [3, 'ok']], batch: true, status: 200 },
  { it: 'a batch of notifications has no answer', in: BATCHING, send: [notify('notifications/none'), notify('notifications/none')], answers: [], status: 202 },
  { it: 'an unknown method in a batch does not exist', in: BATCHING, send: [call(1, 'no/such'), call(2, 'ping')], answers: [[1, NO_METHOD], [2, 'ok']], batch: true, status: 200 },
  { it: '`initialize` in a batch is refused', in: BATCHING, send: [initialize(1), call(2, 'ping')], answers: [[1, INVALID], [2, 'ok']], batch: true, status: 200 },
  { it: 'a stateless request in a batch is refused', in: BATCHING, send: [stateless(1, 'tools/list'), call(2, 'ping')], answers: [[1, INVALID], [2, 'ok']], batch: true, status: 200 },
  { it: 'a malformed item is answered with a null id', in: BATCHING, send: [5, call(2, 'ping')], answers: [[null, INVALID], [2, 'ok']], batch: true, status: 200 },
  { it: 'a malformed item keeps an id that is readable', in: BATCHING, send: [{ jsonrpc: '2.0', id: 'r' }, call(2, 'ping')], answers: [['r', INVALID], [2, 'ok']], batch: true, status: 200 },
  { it: 'a malformed answer in a batch has no answer', in: BATCHING, send: [{ jsonrpc: '2.0', id: 'q', result: 7 }, call(2, 'ping')], answers: [[2, 'ok']], batch: true, status: 200 },
  { it: 'an answer in a batch has no answer', in: BATCHING, send: [{ jsonrpc: '2.0', id: 'q', result: {} }, call(2, 'ping')], answers: [[2, 'ok']], batch: true, status: 200 },
  { it: 'a nested batch is a malformed item', in: BATCHING, send: [[call(1, 'ping')], call(2, 'ping')], answers: [[null, INVALID], [2, 'ok']], batch: true, status: 200 },
  { it: 'an empty batch is refused', in: BATCHING, send: [], answers: [[null, INVALID]], status: 400 },
  { it: 'a batch that is too long is refused', in: BATCHING, server: { limits: { batch: 2 } }, send: [call(1, 'ping'), call(2, 'ping'), call(3, 'ping')], answers: [[null, INVALID]], status: 400 },
  { it: 'a batch keeps to `limits.concurrentCalls`', in: BATCHING, server: { limits: { concurrentCalls: 1 } }, send: [tool(1, 'later'), tool(2, 'later'), tool(3, 'now')], answers: [[1, 'ok'], [2, INTERNAL], [3, INTERNAL]], batch: true, status: 200 },
  { it: 'a batch keeps to `limits.totalCalls`', in: BATCHING, server: { limits: { totalCalls: 1 } }, send: [tool(1, 'later'), tool(2, 'later')], answers: [[1, 'ok'], [2, INTERNAL]], batch: true, status: 200 },
  { it: 'an id that comes twice in a batch is refused while its call runs', in: BATCHING, send: [tool(1, 'later'), tool(1, 'now')], answers: [[1, 'ok'], [1, INVALID]], batch: true, status: 200 },
  { it: 'an id of a running call is refused in a batch', in: BATCHING, running: [7], send: [tool(7, 'now'), call(2, 'ping')], answers: [[7, INVALID], [2, 'ok']], batch: true, status: 200 },
  { it: 'a cancellation in a batch cancels', in: BATCHING, running: [7], send: [notify('notifications/cancelled', { requestId: 7 }), call(2, 'ping')], answers: [[2, 'ok']], batch: true, status: 200, cancels: [7] },
  { it: 'a batch in 2024-11-05 is refused with a null id', in: FIRST, send: [call(1, 'ping')], answers: [[null, INVALID]], status: 400 },
  { it: 'a batch in 2025-11-25 is refused without an id', in: NEWEST, send: [call(1, 'ping')], answers: [[undefined, INVALID]], status: 400 },
  { it: 'a batch before `initialize` is refused', send: [call(1, 'ping')], answers: [[undefined, INVALID]], status: 400 },
  { it: 'a batch for a stateless server is refused', server: STATELESS_ONLY, send: [stateless(1, 'tools/list')], answers: [[undefined, INVALID]], status: 400 },

  // Malformed messages.
  { it: 'text that is no JSON is refused with a null id', in: FIRST, send: '{"jsonrpc"', answers: [[null, NO_JSON]], status: 400 },
  { it: 'text that is no JSON is refused without an id in 2025-11-25', in: NEWEST, send: '{"jsonrpc"', answers: [[undefined, NO_JSON]], status: 400 },
  { it: 'text that is no JSON is refused without a session too', send: 'hello', answers: [[undefined, NO_JSON]], status: 400 },
  { it: 'a number is no message', in: BATCHING, send: '7', answers: [[null, INVALID]], status: 400 },
  { it: 'a wrong "jsonrpc" is refused with its id', in: NEWEST, send: { jsonrpc: '1.0', id: 4, method: 'ping' }, answers: [[4, INVALID]], status: 400 },
  { it: 'a method that is no string is refused with its id', in: NEWEST, send: { jsonrpc: '2.0', id: 4, method: 7 }, answers: [[4, INVALID]], status: 400 },
  { it: 'params that are a list are refused with their id', in: NEWEST, send: { jsonrpc: '2.0', id: 4, method: 'ping', params: [] }, answers: [[4, INVALID]], status: 400 },
  { it: 'a fraction is no id', in: FIRST, send: { jsonrpc: '2.0', id: 1.5, method: 'ping' }, answers: [[null, INVALID]], status: 400 },
  { it: 'a null id is no id', in: NEWEST, send: { jsonrpc: '2.0', id: null, method: 'ping' }, answers: [[undefined, INVALID]], status: 400 },
  { it: 'a message that is a call and an answer is refused', in: NEWEST, send: { jsonrpc: '2.0', id: 4, method: 'ping', result: {} }, answers: [[4, INVALID]], status: 400 },
  { it: 'a message that is nothing is refused with its id', in: NEWEST, send: { jsonrpc: '2.0', id: 4 }, answers: [[4, INVALID]], status: 400 },
];

async function connect(channel: (typeof CHANNELS)[number], row: Row): Promise<[WaitingServer, IntakeClient]> {
  const waiting = new WaitingServer(row.server);
  const client = await connectIntake(waiting.server, channel);
  cleanup(
    () => client.close(),
    () => waiting.close(),
  );
  if (row.in !== undefined) await client.open(row.in);
  for (const id of row.running ?? [])
    client.start(call(id, 'tools/call', { name: 'wait', arguments: { call: id } }));
  await waiting.begun(row.running?.length ?? 0);
  return [waiting, client];
}

function shortly({ id, result, error }: WireMessage): Answer {
  return [id, result === undefined ? (error?.code ?? Number.NaN) : 'ok'];
}

describe.each(CHANNELS)('over %s', (channel) => {
  it.each(ROWS)('$it', async (row) => {
    const [waiting, client] = await connect(channel, row);
    const { answers, isBatch, status } = await client.exchange(row.send, row.answers.length);
    // A refusal of what has no answer is a status over HTTP, with the error in the body.
    const silent = status !== undefined && status !== 202 && row.answers.length === 0;
    if (silent) expect(answers.map(shortly)).toEqual([[undefined, INVALID]]);
    else expect(answers.map(shortly)).toEqual(row.answers);
    expect(isBatch).toBe(row.batch ?? false);
    if (status !== undefined) expect(status).toBe(row.status);
    expect(waiting.cancelled).toEqual(row.cancels ?? []);
  });
});
