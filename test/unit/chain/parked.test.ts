/** Calls of stateless clients that wait for answers while they run on a handshake server. */

import { type Chain, type ChainOptions, createChain } from 'plumb-mcp/chain';
import { type Client, connect } from 'plumb-mcp/client';
import { expect, test } from 'vitest';
import { createMemoryPair } from '../../../src/transports/memory.js';
import { cleanup } from '../../support/cleanup.js';
import { createEverything, type Everything } from '../../support/everything.js';

const CAPABLE = {
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
};

interface Setting extends Everything {
  readonly built: Chain;
  as(principal: string): Promise<Client>;
}

function prepare(options: ChainOptions = {}): Setting {
  const everything = createEverything({ revisions: ['2025-11-25'] });
  const built = createChain({ onError: () => undefined, ...options }).to(everything.server);
  cleanup(
    () => everything.server.close({ drain: 0 }),
    () => built.close({ drain: 0 }),
  );
  const as = async (principal: string): Promise<Client> => {
    const [ours, theirs] = createMemoryPair();
    await built.connect(ours, { principal });
    // Questions are not answered by this client: the test looks at the rounds themselves.
    const client = await connect(theirs, {
      revisions: ['2026-07-28'],
      elicit: () => new Promise(() => undefined),
    });
    cleanup(() => client.close());
    return client;
  };
  return { ...everything, built, as };
}

/** One round, as it is on the wire. */
function round(built: Chain, principal: string, more: object = {}): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    const [ours, theirs] = createMemoryPair();
    void built.connect(ours, { principal }).then(async () => {
      await theirs.start({
        message: (_decoded, text) => {
          resolve(JSON.parse(text));
          void theirs.close();
        },
        fault: () => undefined,
        closed: () => undefined,
      });
      void theirs.send({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'form', arguments: {}, _meta: CAPABLE, ...more },
      });
    });
  });
}

function resultOf(answer: Record<string, unknown>): Record<string, unknown> {
  return answer.result as Record<string, unknown>;
}

const ANSWER = { inputResponses: { q1: { action: 'accept', content: { name: 'Ada' } } } };

test('the retry goes on with the very call that asked', async () => {
  const { built } = prepare();
  const asked = resultOf(await round(built, 'ada'));
  expect(asked).toMatchObject({
    resultType: 'input_required',
    inputRequests: { q1: { method: 'elicitation/create', params: { message: 'Who?' } } },
  });
  const done = await round(built, 'ada', { ...ANSWER, requestState: asked.requestState });
  expect(resultOf(done).content).toEqual([{ type: 'text', text: 'Ada is 7' }]);
});

test('a retry without the answer is asked again', async () => {
  const { built } = prepare();
  const { requestState } = resultOf(await round(built, 'ada'));
  const again = resultOf(await round(built, 'ada', { requestState }));
  expect(again.inputRequests).toHaveProperty('q1');
  const done = await round(built, 'ada', { ...ANSWER, requestState: again.requestState });
  expect(resultOf(done).content).toEqual([{ type: 'text', text: 'Ada is 7' }]);
});

test('a state cannot be used twice, nor by somebody else', async () => {
  const { built } = prepare();
  const { requestState } = resultOf(await round(built, 'ada'));
  expect(await round(built, 'eve', { ...ANSWER, requestState })).toMatchObject({ error: { code: -32602 } });
  expect(resultOf(await round(built, 'ada', { ...ANSWER, requestState })).content).toBeDefined();
  expect(await round(built, 'ada', { ...ANSWER, requestState })).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('gone') },
  });
});

test('a call that nobody comes back for is cancelled upstream', async () => {
  const { built, server } = prepare({ parked: { ttl: 20 } });
  const ended: string[] = [];
  server.use('tools/call', async (call, next) => {
    call.signal.addEventListener('abort', () => ended.push('aborted'));
    return next();
  });
  const { requestState } = resultOf(await round(built, 'ada'));
  await expect.poll(() => ended).toEqual(['aborted']);
  expect(await round(built, 'ada', { ...ANSWER, requestState })).toMatchObject({ error: { code: -32602 } });
});

test('there are only so many', async () => {
  const { built } = prepare({ parked: { max: 1 } });
  expect(resultOf(await round(built, 'ada')).resultType).toBe('input_required');
  expect(await round(built, 'ada')).toMatchObject({
    error: { message: expect.stringContaining('Too many calls wait') },
  });
});
