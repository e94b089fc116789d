import { connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Observation } from '../../../src/middleware/observe.js';
import { handshakeServer, turn } from '../../support/scripted-server.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('a client tells of requests, states, retries, unknown responses and violations', async () => {
  const seen: Observation[] = [];
  const server = handshakeServer().on('tools/call', ({ name }) =>
    name === 'good' ? { content: [] } : undefined,
  );
  const client = await connect(server, {
    observe: (observation) => seen.push(observation),
    random: () => 0.5,
  });
  await client.tools.call('good');
  server.send('{"jsonrpc":"2.0","id":1,"result":{}}');
  server.send('{"jsonrpc":"2.0","result":1}');
  const again = client.tools.call('slow', {}, { retry: true });
  await turn();
  await server.hangUp();
  await turn();
  await vi.advanceTimersByTimeAsync(1_000);
  const request = server.all('tools/call').at(-1);
  if (request !== undefined) server.answer(request, { content: [], isError: true });
  await again;
  await client.close();

  const told = (type: Observation['type']): Observation[] => seen.filter((one) => one.type === type);
  expect(told('request')).toMatchObject([
    { side: 'client', method: 'tools/call', subject: 'good', failure: undefined },
    { side: 'client', method: 'tools/call', subject: 'slow', failure: 'tool_error', durationMs: 1_000 },
  ]);
  expect(told('state').map((one) => one.type === 'state' && one.state)).toEqual([
    'starting',
    'initializing',
    'ready',
    'backoff',
    'starting',
    'initializing',
    'ready',
    'closing',
    'closed',
  ]);
  expect(told('retry')).toMatchObject([{ method: 'tools/call', error: { code: 'connection_closed' } }]);
  expect(told('unknown_response')).toMatchObject([{ kind: 'duplicate' }]);
  expect(told('violation')).toMatchObject([{ kind: 'unexpected_answer' }, { kind: 'malformed' }]);
});

it('a server tells of requests, with the trace they came in', async () => {
  const seen: Observation[] = [];
  const server = createServer({ name: 's', version: '1', observe: (observation) => seen.push(observation) });
  server.tool('good', {}, () => 'hi');
  server.tool('bad', {}, () => {
    throw new Error('no');
  });
  const client = await connect(server, { revisions: ['2025-11-25'] });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await client.tools.call('good', {}, { meta: { traceparent } });
  vi.spyOn(console, 'error').mockImplementation(() => {});
  await client.tools.call('bad');
  await expect(client.tools.call('none')).rejects.toThrow();
  expect(seen).toMatchObject([
    { side: 'server', method: 'tools/call', subject: 'good', failure: undefined, trace: { traceparent } },
    { method: 'tools/call', subject: 'bad', failure: 'tool_error', trace: {} },
    { method: 'tools/call', subject: 'none', failure: 'invalid_params' },
  ]);
  await client.close();
});

it('a server tells of what was no message', async () => {
  const seen: Observation[] = [];
  const server = createServer({ name: 's', version: '1', observe: (observation) => seen.push(observation) });
  const transport = server.transport();
  await transport.start({ message: () => {}, fault: () => {}, closed: () => {} });
  await transport.send('{"jsonrpc":"2.0","id":{}}');
  await turn();
  expect(seen).toMatchObject([{ type: 'violation', side: 'server', kind: 'malformed' }]);
  expect({ ...server.stats }).toEqual({ malformed: 1, faults: 0, lost: 0 });
  await transport.close();
});

it('an observer that fails changes nothing', async () => {
  const server = handshakeServer().on('tools/call', () => ({ content: [] }));
  const fail = (): never => {
    throw new Error('no');
  };
  const client = await connect(server, { observe: fail });
  await client.tools.call('x');
  await client.close();
});
