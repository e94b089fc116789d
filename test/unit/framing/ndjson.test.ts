import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  createLineReader,
  encodeLine,
  joinLines,
  type LineReader,
  unbroken,
} from '../../../src/framing/ndjson.js';

type Event = { line: string } | { oversize: number; sample: string };

interface Setup {
  readonly maxLineBytes?: number;
}

function collect(chunks: Iterable<Uint8Array>, options: Setup = {}): Event[] {
  const events: Event[] = [];
  const reader: LineReader = createLineReader({
    ...options,
    onLine: (line) => events.push({ line }),
    onOversize: (oversize, sample) => events.push({ oversize, sample }),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return events;
}

function lines(text: string, options?: Setup): Event[] {
  return collect([Buffer.from(text)], options);
}

function* cut(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  let start = 0;
  for (const size of sizes) {
    yield bytes.subarray(start, start + size);
    start += size;
  }
  yield bytes.subarray(start);
}

/** Bytes that meet every branch: line ends, blanks, byte order marks, whole and broken code points. */
const anyBytes = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom('\n', '\r\n', '\r', ' ', '\ufeff').map((text) => Buffer.from(text)),
      },
      fc
        .constantFrom('Content-Length: 3\r\n\r\n', 'Content-Length: 40\n\n', '{}')
        .map((text) => Buffer.from(text)),
      fc.string({ unit: 'binary', maxLength: 12 }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => Buffer.concat(parts));
const anyCut = fc.array(fc.nat({ max: 9 }), { maxLength: 60 });

describe('line reader', () => {
  it('yields each line of a chunk', () => {
    expect(lines('{"a":1}\n{"b":2}\n')).toEqual([{ line: '{"a":1}' }, { line: '{"b":2}' }]);
  });

  it('delivers a last line without a newline at the end', () => {
    expect(lines('one\ntwo')).toEqual([{ line: 'one' }, { line: 'two' }]);
  });

  it('accepts CRLF, and keeps a carriage return that ends no line', () => {
    expect(lines('one\r\nt\rwo\r\n')).toEqual([{ line: 'one' }, { line: 't\rwo' }]);
  });

  it('skips blank lines', () => {
    expect(lines('\n\r\n  \t\n one\n\n')).toEqual([{ line: ' one' }]);
  });

  it('joins a code point that two chunks share', () => {
    const bytes = Buffer.from('{"text":"naïve 🙂"}\n');
    for (let split = 0; split <= bytes.length; split++) {
      expect(collect(cut(bytes, [split]))).toEqual([{ line: '{"text":"naïve 🙂"}' }]);
    }
  });

  it('skips a byte order mark at the very start only', () => {
    expect(lines('\ufeff{}\n\ufeff{}\n')).toEqual([{ line: '{}' }, { line: '\ufeff{}' }]);
    expect(collect(cut(Buffer.from('\ufeff{}\n'), [1, 1]))).toEqual([{ line: '{}' }]);
  });

  it('reads plain Uint8Arrays', () => {
    expect(collect([new TextEncoder().encode('é\n')])).toEqual([{ line: 'é' }]);
  });

  it('does not keep a chunk that its owner may write into again', () => {
    const chunk = Buffer.from('{"a":');
    const events: string[] = [];
    const reader = createLineReader({ onLine: (line) => events.push(line), onOversize: () => {} });
    reader.push(chunk);
    chunk.fill(0);
    reader.push(Buffer.from('1}\n'));
    expect(events).toEqual(['{"a":1}']);
  });

  it('yields the same for any bytes however they are cut', () => {
    fc.assert(
      fc.property(anyBytes, anyCut, fc.integer({ min: 1, max: 40 }), (bytes, sizes, maxLineBytes) => {
        expect(collect(cut(bytes, sizes), { maxLineBytes })).toEqual(collect([bytes], { maxLineBytes }));
      }),
      { numRuns: 1_000 },
    );
  });

  it('yields what splitting the decoded text would', () => {
    fc.assert(
      fc.property(anyBytes, anyCut, (bytes, sizes) => {
        const expected = bytes
          .toString('utf8')
          .replace(/^\ufeff/, '')
          .split('\n')
          .map((line) => line.replace(/\r$/, ''))
          .filter((line) => /[^ \t\r]/.test(line))
          .map((line) => ({ line }));
        expect(collect(cut(bytes, sizes))).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('line limit', () => {
  it('accepts a line of exactly the limit', () => {
    expect(lines('12345678\n', { maxLineBytes: 8 })).toEqual([{ line: '12345678' }]);
  });

  it('drops a longer line up to its newline, reports it once, and reads on', () => {
    expect(lines('one\n123456789\ntwo\n', { maxLineBytes: 8 })).toEqual([
      { line: 'one' },
      { oversize: 9, sample: '123456789' },
      { line: 'two' },
    ]);
  });

  it('counts bytes, not characters', () => {
    expect(lines('éééé\nééééé\n', { maxLineBytes: 8 })).toEqual([
      { line: 'éééé' },
      { oversize: 10, sample: 'ééééé' },
    ]);
  });

  it('reports an endless line when the stream ends', () => {
    expect(lines('1234567890', { maxLineBytes: 8 })).toEqual([{ oversize: 10, sample: '1234567890' }]);
  });

  it('gives a sample that does not end in half a code point', () => {
    expect(lines(`a${'é'.repeat(300)}\n`, { maxLineBytes: 400 })).toEqual([
      { oversize: 601, sample: `a${'é'.repeat(127)}` },
    ]);
  });

  it('keeps no more than the limit of a line that never ends', () => {
    const chunk = new Uint8Array(64 * 1024).fill(0x61);
    const reader = createLineReader({ maxLineBytes: 1024 * 1024, onLine: () => {}, onOversize: () => {} });
    for (let i = 0; i < 17; i++) reader.push(chunk);
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 10_000; i++) reader.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
  });

  it('refuses a limit that would let nothing through', () => {
    expect(() => createLineReader({ maxLineBytes: 0, onLine: () => {}, onOversize: () => {} })).toThrow(
      RangeError,
    );
  });
});

describe('work per byte', () => {
  /** Counts what the reader scans of the chunks and copies of anything. */
  function workFor(bytes: number, chunkBytes: number): number {
    let work = 0;
    class CountedChunk extends Uint8Array {
      override indexOf(value: number, from = 0): number {
        work += this.length - from;
        return super.indexOf(value, from);
      }
      override lastIndexOf(value: number): number {
        work += this.length;
        return super.lastIndexOf(value);
      }
    }
    const copy = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype), 'set').mockImplementation(function (
      this: Uint8Array,
      ...[source]: unknown[]
    ) {
      // The contents do not matter here, only how much would be moved.
      if (source instanceof Uint8Array) work += source.length;
    });
    try {
      const reader = createLineReader({ maxLineBytes: bytes, onLine: () => {}, onOversize: () => {} });
      for (let sent = 0; sent < bytes; sent += chunkBytes)
        reader.push(new CountedChunk(chunkBytes).fill(0x61));
    } finally {
      copy.mockRestore();
    }
    return work;
  }

  it.each([64, 4096])('stays constant for one long line in chunks of %i bytes', (chunkBytes) => {
    const short = workFor(256 * 1024, chunkBytes) / (256 * 1024);
    const long = workFor(4096 * 1024, chunkBytes) / (4096 * 1024);
    expect(long).toBeLessThan(short * 1.2);
    expect(long).toBeLessThan(5);
  });
});

describe('encoding a line', () => {
  it('writes a message on one line', () => {
    const line = encodeLine({ jsonrpc: '2.0', method: 'x', params: { text: 'a\nb' } });
    expect(line).toBe('{"jsonrpc":"2.0","method":"x","params":{"text":"a\\nb"}}');
  });

  it('takes raw line breaks out of prepared JSON, so that it stays one message', () => {
    expect(unbroken('{\r\n  "a": 1\n}')).toBe('{   "a": 1 }');
    expect(joinLines(['{"b":2}', '{\r\n  "a": 1\n}'])).toBe('{"b":2}\n{   "a": 1 }\n');
    expect(joinLines(['{"b":2}', '{"a":1}'])).toBe('{"b":2}\n{"a":1}\n');
  });
});
