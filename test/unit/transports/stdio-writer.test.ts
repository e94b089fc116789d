import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LineWriter } from '../../../src/transports/stdio/writer.js';

/** A stream that holds each write until the test lets it through. */
function gatedStream(highWaterMark: number) {
  const chunks: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark,
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      chunks.push(chunk);
      waiting.push(() => done());
    },
  });
  return { stream, chunks, letThrough: () => waiting.shift()?.() };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

function writerTo(stream: Writable, maxQueueBytes = 1_000) {
  const errors: Error[] = [];
  return {
    errors,
    writer: new LineWriter({ stream, maxQueueBytes, onError: (error) => errors.push(error) }),
  };
}

describe('line writer', () => {
  it('writes all lines of one tick at once', async () => {
    const { stream, chunks, letThrough } = gatedStream(100);
    const { writer } = writerTo(stream);
    for (const line of ['a', 'b', 'c']) expect(writer.write(line)).toBeUndefined();
    await tick();
    expect(chunks).toEqual(['a\nb\nc\n']);
    letThrough();
    writer.write('d');
    await tick();
    expect(chunks).toEqual(['a\nb\nc\n', 'd\n']);
  });

  it('writes what comes in several ticks at once, when the loop comes round', async () => {
    const { stream, chunks } = gatedStream(100);
    const { writer } = writerTo(stream);
    const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve));
    writer.write('a');
    await nextTick();
    writer.write('b');
    await nextTick();
    expect(chunks).toEqual([]);
    await tick();
    expect(chunks).toEqual(['a\nb\n']);
  });

  it('holds lines while the stream is full, and writes them in order when it drains', async () => {
    const { stream, chunks, letThrough } = gatedStream(4);
    const { writer } = writerTo(stream);
    writer.write('first');
    await tick();
    const settled: string[] = [];
    const rooms = ['second', 'third'].map((line) => writer.write(line)?.then(() => settled.push(line)));
    await tick();
    expect(chunks).toEqual(['first\n']);
    letThrough();
    await tick();
    expect(chunks).toEqual(['first\n', 'second\nthird\n']);
    // Those lines filled the stream again, so there is still no room.
    expect(settled).toEqual([]);
    letThrough();
    await Promise.all(rooms);
    expect(settled).toEqual(['second', 'third']);
    expect(writer.write('fourth')).toBeUndefined();
  });

  it('refuses a line that the queue has no room for, but lets a single one through whatever its size', async () => {
    const { stream, letThrough } = gatedStream(4);
    const { writer } = writerTo(stream, 100);
    writer.write('first');
    await tick();
    const room = writer.write('x'.repeat(500));
    await expect(writer.write('y')).rejects.toMatchObject({ code: 'queue_full' });
    letThrough();
    await tick();
    letThrough();
    await room;
    expect(writer.write('z')).toBeUndefined();
  });

  it('takes whatever comes within one tick, in which nobody could have read', async () => {
    const { stream, chunks } = gatedStream(4);
    const { writer } = writerTo(stream, 100);
    const lines = ['x', 'y', 'z'].map((letter) => letter.repeat(200));
    for (const line of lines) expect(writer.write(line)).toBeUndefined();
    await tick();
    expect(chunks).toEqual([`${lines.join('\n')}\n`]);
  });

  it('tells of a failing stream once, and refuses afterwards', async () => {
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error('broken pipe')) });
    const { writer, errors } = writerTo(stream);
    writer.write('a');
    await tick();
    expect(errors).toMatchObject([{ message: 'broken pipe' }]);
    await expect(writer.write('b')).rejects.toMatchObject({ code: 'connection_closed', cause: errors[0] });
    expect(await writer.flush()).toBe(false);
  });

  it('flushes what waits, and then takes its listeners off', async () => {
    const { stream, chunks, letThrough } = gatedStream(4);
    const { writer } = writerTo(stream);
    writer.write('first');
    const flushed = writer.flush();
    letThrough();
    expect(await flushed).toBe(true);
    expect(chunks).toEqual(['first\n']);
    writer.release();
    expect(['drain', 'error', 'close'].map((name) => stream.listenerCount(name))).toEqual([0, 0, 0]);
  });
});
