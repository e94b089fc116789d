import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sseMessage, ssePriming, sseRetry } from '../../../src/framing/sse.js';
import { type SseEvent, SseReader } from '../../../src/framing/sse-reader.js';

interface Read {
  readonly events: SseEvent[];
  readonly retries: number[];
  readonly oversized: string[];
  readonly lastEventId: string | undefined;
}

function read(chunks: readonly (string | Uint8Array)[], maxEventLength = 1_000_000): Read {
  const events: SseEvent[] = [];
  const retries: number[] = [];
  const oversized: string[] = [];
  const reader = new SseReader({
    maxEventLength,
    onEvent: (event) => events.push(event),
    onRetry: (milliseconds) => retries.push(milliseconds),
    onOversize: (sample) => oversized.push(sample),
  });
  for (const chunk of chunks)
    reader.push(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
  return { events, retries, oversized, lastEventId: reader.lastEventId };
}

function bytewise(text: string): Uint8Array[] {
  return [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte));
}

/** Every kind of thing that a stream can hold. */
const ODD_STREAM = [
  '\uFEFF: a comment\n\n',
  'event: message\nid: 1\ndata: {"a":1}\n\n',
  'data:first\ndata: second\ndata\n\n',
  'id: 2\ndata: \n\n',
  'retry: 250\n\n',
  'retry: soon\nunknown: field\n\n',
  'event: ping\ndata: x\n\n',
  ': keep-alive\n\n',
  'data: ä€😀 \u2028id: forged\n\n',
  'id: 3\n\n',
].join('');

const ODD_EVENTS: SseEvent[] = [
  { type: 'message', data: '{"a":1}' },
  { type: 'message', data: 'first\nsecond\n' },
  { type: 'message', data: '' },
  { type: 'ping', data: 'x' },
  { type: 'message', data: 'ä€😀 \u2028id: forged' },
];

describe('SSE reader', () => {
  it('reads what our own writer wrote', () => {
    const text = ssePriming('s-0') + sseMessage('{"x":1}', 's-1') + sseRetry(500) + sseMessage('{"x":2}');
    expect(read([text])).toEqual({
      events: [
        { type: 'message', data: '' },
        { type: 'message', data: '{"x":1}' },
        { type: 'message', data: '{"x":2}' },
      ],
      retries: [500],
      oversized: [],
      lastEventId: 's-1',
    });
  });

  for (const [name, newline] of [
    ['LF', '\n'],
    ['CR', '\r'],
    ['CRLF', '\r\n'],
  ] as const) {
    const stream = ODD_STREAM.replaceAll('\n', newline);

    it(`reads every field with ${name} line ends, at once and byte by byte`, () => {
      const expected = { events: ODD_EVENTS, retries: [250], oversized: [], lastEventId: '3' };
      expect(read([stream])).toEqual(expected);
      expect(read(bytewise(stream))).toEqual(expected);
    });

    it(`reads the same from any cut of a stream with ${name} line ends`, () => {
      const bytes = new TextEncoder().encode(stream);
      fc.assert(
        fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
          const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
          const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
          expect(read(chunks).events).toEqual(ODD_EVENTS);
        }),
      );
    });
  }

  it('hands an event on as soon as its blank line is there, also one that ends with CR', () => {
    expect(read(['data: x\r\r']).events).toHaveLength(1);
    expect(read(['data: x\r\n\r\n']).events).toHaveLength(1);
    expect(read(['data: x\n\n']).events).toHaveLength(1);
  });

  it('does not take the second half of a CRLF for a blank line', () => {
    expect(read(['data: x\r', '\ndata: y\r', '\n\r', '\n']).events).toEqual([
      { type: 'message', data: 'x\ny' },
    ]);
  });

  it('drops an event that the end of the stream cuts off, and keeps the id before it', () => {
    expect(read(['id: 1\ndata: a\n\nid: 2\ndata: b\n'])).toMatchObject({
      events: [{ data: 'a' }],
      lastEventId: '1',
    });
  });

  it('remembers the id of an event without data', () => {
    expect(read(['id: 7\nretry: 10\n\n'])).toMatchObject({ events: [], retries: [10], lastEventId: '7' });
  });

  it('forgets the id when the server resets it, and ignores one with NUL', () => {
    expect(read(['id: 7\ndata: a\n\nid\ndata: b\n\n']).lastEventId).toBe('');
    expect(read(['id: 7\ndata: a\n\nid: 8\0\ndata: b\n\n']).lastEventId).toBe('7');
    expect(read(['identity: 9\ndata: a\n\n']).lastEventId).toBeUndefined();
  });

  it('does not let a line separator inside the data forge an id', () => {
    expect(read(['data: a\u2028id: 9\u2029id: 10\n\n']).lastEventId).toBeUndefined();
  });

  it('skips an event that is too long and reads on behind it', () => {
    const long = `data: ${'x'.repeat(500)}\n\n`;
    for (const chunks of [[long], [long.slice(0, 300), long.slice(300)], bytewise(long)]) {
      const result = read([...chunks, 'data: next\n\n'], 100);
      expect(result.events).toEqual([{ type: 'message', data: 'next' }]);
      expect(result.oversized).toHaveLength(1);
      expect(result.oversized[0]).toContain('xxx');
    }
  });

  it('reads a long event in many pieces in linear time', () => {
    const text = `data: ${'x'.repeat(2_000_000)}\n\n`;
    const chunks = Array.from({ length: 2_000 }, (_, index) =>
      text.slice(index * 1_001, (index + 1) * 1_001),
    );
    expect(read(chunks, 4_000_000).events[0]?.data).toHaveLength(2_000_000);
  });
});
