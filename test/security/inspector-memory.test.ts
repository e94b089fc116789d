/** What the inspector keeps of a flood takes no more memory than docs/limits.md states, however the flood is made. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { InspectorCore } from '../../src/inspector/core.js';
import { RecordedConversation } from '../../src/inspector/recorder/conversation.js';
import type { StoredExchange } from '../../src/inspector/timeline/stored.js';
import { DEFAULT_TIMELINE_LIMITS } from '../../src/inspector/timeline/timeline.js';

const MEGABYTE = 1024 * 1024;
/** A smaller bound than the default is reached sooner. */
const LIMITS = { ...DEFAULT_TIMELINE_LIMITS, maxBytes: 24 * MEGABYTE };
const { maxBytes, maxMessages, maxTextCharacters } = LIMITS;
/** Compiled code, and the lists themselves while they grow. */
const TOLERATED = 4 * MEGABYTE;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function used(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A text as it comes off the wire: no other string shares its characters. */
function wire(text: string): string {
  return Buffer.from(text).toString();
}

function call(id: number | string, name: string, more: object = {}): string {
  return wire(
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {}, ...more } }),
  );
}

function answer(id: number | string, text: string): string {
  return wire(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }));
}

/** One client of a chain without sessions: each of its requests is a conversation of its own. */
function conversation(core: InspectorCore): RecordedConversation {
  return new RecordedConversation(core.recording, {
    server: 'chain-1',
    source: 'chain',
    hop: 'client',
    connection: 0,
    transport: 'http',
  });
}

function exchange(core: InspectorCore, headerLength = 20): StoredExchange {
  const headers = Array.from({ length: 10 }, (_, index) => [
    `x-header-${index}`,
    wire(`${Math.random()}`.padEnd(headerLength, 'x')),
  ]);
  return {
    id: core.recording.nextExchange(),
    method: 'POST',
    url: '/mcp',
    requestHeaders: headers.flat(),
    startedAt: core.recording.now(),
  };
}

type Flood = (core: InspectorCore) => unknown;

/** What a flood returns stays alive while the memory is measured, as the connections of its clients would. */
const FLOODS: readonly (readonly [string, Flood])[] = [
  [
    'many small messages of one connection',
    (core) => {
      const one = conversation(core);
      for (let id = 0; id < 20_000; id += 1) {
        one.hear('to-server', call(id, 'echo'));
        one.hear('to-client', answer(id, 'x'));
      }
      return one;
    },
  ],
  [
    'many small calls over HTTP that have their answers',
    (core) => {
      for (let turn = 0; turn < 10_000; turn += 1) {
        const one = conversation(core);
        const own = exchange(core);
        one.hear('to-server', call(1, 'echo', { _meta: { progressToken: turn } }), { exchange: own });
        one.hear('to-client', answer(1, 'x'), { exchange: own });
      }
    },
  ],
  [
    'calls that are never answered',
    (core) =>
      Array.from({ length: 10_000 }, (_, turn) => {
        const one = conversation(core);
        const token = { _meta: { progressToken: `${turn}` } };
        one.hear('to-server', call(`id ${turn}`, 'wait', token), { exchange: exchange(core) });
        return turn % 100 === 0 ? one : undefined;
      }),
  ],
  [
    'connections that are cut while calls run',
    (core) =>
      Array.from({ length: 150 }, () => {
        const one = conversation(core);
        for (let id = 0; id < 100; id += 1) one.hear('to-server', call(id, 'wait'));
        one.end();
        return one;
      }),
  ],
  [
    'huge messages',
    (core) => {
      const one = conversation(core);
      for (let id = 0; id < 40; id += 1) {
        one.hear('to-server', call(id, 'echo', { extra: `${id}`.padEnd(3_900_000, 'x') }));
      }
      return one;
    },
  ],
  [
    'huge messages in characters of two bytes',
    (core) => {
      const one = conversation(core);
      for (let id = 0; id < 40; id += 1) one.hear('to-client', answer(id, `${id}`.padEnd(2_000_000, '語')));
      return one;
    },
  ],
  [
    'huge ids, names, methods and revisions',
    (core) =>
      Array.from({ length: 40 }, (_, turn) => {
        const one = conversation(core);
        const huge = `${turn}`.padEnd(1_000_000, 'x');
        const version = { _meta: { 'io.modelcontextprotocol/protocolVersion': huge, progressToken: huge } };
        one.hear('to-server', call(huge, huge, version));
        one.hear('to-server', wire(JSON.stringify({ jsonrpc: '2.0', method: huge, params: {} })));
        return one;
      }),
  ],
  [
    'small lines of large chunks',
    (core) => {
      const one = conversation(core);
      for (let id = 0; id < 2_000; id += 1) {
        const chunk = wire(`${call(id, 'echo')}\n${'x'.repeat(60_000)}`);
        one.hear('to-server', chunk.slice(0, chunk.indexOf('\n')));
      }
      return one;
    },
  ],
  [
    'exchanges with large headers that outlast their requests',
    (core) => {
      const streams = Array.from({ length: 3_000 }, () => {
        const own = exchange(core, 1_500);
        const one = conversation(core);
        one.hear('to-server', call(1, 'count'), { exchange: own });
        return () => one.hear('to-client', answer(1, 'done'), { exchange: own, streamed: true });
      });
      for (const finish of streams) finish();
    },
  ],
  [
    'request states of a megabyte',
    (core) => {
      for (let turn = 0; turn < 60; turn += 1) {
        const one = conversation(core);
        one.hear('to-server', call(1, 'ask'));
        const requestState = `${turn}`.padEnd(1_000_000, 'x');
        const result = { resultType: 'input_required', requestState, inputRequests: {} };
        one.hear('to-client', wire(JSON.stringify({ jsonrpc: '2.0', id: 1, result })));
      }
    },
  ],
  [
    'batches of many parts',
    (core) => {
      const one = conversation(core);
      for (let turn = 0; turn < 12; turn += 1) one.hear('to-server', wire(`[${'1,'.repeat(600_000)}1]`));
      return one;
    },
  ],
];

describe('the timeline of an inspector', () => {
  const alive: unknown[] = [];

  it.each(FLOODS)('stays within its bound with %s', (_, flood) => {
    const core = new InspectorCore({ limits: LIMITS });
    const before = used();
    alive.push(flood(core));
    const grown = used() - before;
    const { bytes, messages } = core.timeline.totals();
    expect(messages).toBeGreaterThan(0);
    expect(messages).toBeLessThanOrEqual(maxMessages);
    expect(bytes).toBeLessThanOrEqual(maxBytes);
    expect(grown).toBeLessThan(maxBytes + TOLERATED);
    // What is counted is what is really there.
    expect(grown).toBeLessThan(bytes + TOLERATED);
    alive.length = 0;
  });

  it('says how much of a long text it left out', () => {
    const core = new InspectorCore();
    const text = call(1, 'echo', { extra: 'x'.repeat(maxTextCharacters) });
    const message = conversation(core).hear('to-server', text);
    const more = (text.length - maxTextCharacters).toLocaleString('en-US');
    expect(message).toMatchObject({ truncated: true, bytes: text.length });
    expect(message?.text.slice(maxTextCharacters)).toBe(`... [${more} more characters were not kept]`);
  });

  it('records the first hundred messages of a batch one by one', () => {
    const core = new InspectorCore();
    conversation(core).hear('to-server', `[${'1,'.repeat(5_000)}1]`);
    expect(core.timeline.totals().messages).toBe(101);
  });

  it('forgets what finds a request together with the request', () => {
    const core = new InspectorCore({ limits: { ...LIMITS, maxMessages: 10 } });
    const one = conversation(core);
    for (let id = 0; id < 20; id += 1) one.hear('to-server', call(id, 'wait'));
    expect(one.hear('to-client', answer(19, 'late'))).toMatchObject({ method: 'tools/call' });
    const late = one.hear('to-client', answer(0, 'too late'));
    expect(late?.method).toBeUndefined();
    // One was answered; those that were forgotten are not waited for.
    expect(core.recording.figures.all()[0]?.waiting).toBeLessThan(10);
  });
});

describe('the log of an inspector', () => {
  it.each([
    ['long texts', () => `${Math.random()}`.padEnd(200_000, 'x')],
    ['many parts', () => Array.from({ length: 5_000 }, () => ({}))],
  ])('stays within its bound with messages of %s', (_, data) => {
    const core = new InspectorCore();
    const before = used();
    for (let count = 0; count < 400; count += 1) {
      core.logs.message('server-1', { level: 'info', logger: wire('x'.repeat(200_000)), data: data() });
    }
    core.logs.stop();
    expect(core.logs.newest().length).toBeGreaterThan(10);
    expect(used() - before).toBeLessThan(32 * MEGABYTE + TOLERATED);
  });
});
