import { describe, expect, it } from 'vitest';
import { InFlight } from '../../../src/jsonrpc/in-flight.js';
import type { RequestId } from '../../../src/jsonrpc/message.js';

interface Entry {
  readonly id: RequestId;
}

describe('what is in flight', () => {
  it('tells numbers from strings that look like them', () => {
    const flight = new InFlight<Entry>();
    flight.set(1, { id: 1 });
    flight.set('1', { id: '1' });
    expect([flight.get(1), flight.get('1'), flight.size]).toEqual([{ id: 1 }, { id: '1' }, 2]);
    expect(flight.take('1')).toEqual({ id: '1' });
    expect(flight.take('1')).toBeUndefined();
    expect(flight.values()).toEqual([{ id: 1 }]);
  });

  it('knows nothing before something is added, and nothing after it was cleared', () => {
    const flight = new InFlight<Entry>();
    expect([flight.get(3), flight.take(3), flight.has(3), flight.inOrder().at(-1), flight.size]).toEqual([
      undefined,
      undefined,
      false,
      undefined,
      0,
    ]);
    flight.set(3, { id: 3 });
    flight.clear();
    expect([flight.get(3), flight.values(), flight.size]).toEqual([undefined, [], 0]);
  });

  it('finds the latest', () => {
    const flight = new InFlight<Entry>();
    for (const id of [5, 900, 12]) flight.set(id, { id });
    expect(flight.inOrder().at(-1)).toEqual({ id: 900 });
    flight.take(900);
    expect(flight.inOrder().at(-1)).toEqual({ id: 12 });
  });

  const sequences: Record<string, (step: number) => RequestId> = {
    'counting up': (step) => step,
    'several counters': (step) => (step % 8) * 1_000_000 + step,
    'beyond 32 bits': (step) => 2 ** 40 + step * 2 ** 20,
    'below zero': (step) => -step,
    'ids that share their lower digits': (step) => step * 4096,
    'strings among them': (step) => (step % 5 === 0 ? `id-${step}` : step),
  };

  it.each(Object.entries(sequences))('says what a Map says: %s', (_name, idOf) => {
    const flight = new InFlight<Entry>();
    const map = new Map<RequestId, Entry>();
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    for (let step = 0; step < 3_000; step += 1) {
      const id = idOf(step);
      flight.set(id, { id });
      map.set(id, { id });
      // Some stay for long, most leave soon, in any order.
      while (map.size > 40 + random(60)) {
        const leaving = [...map.keys()][random(map.size)];
        if (leaving === undefined) break;
        expect(flight.take(leaving)).toEqual(map.get(leaving));
        map.delete(leaving);
        expect(flight.has(leaving)).toBe(false);
      }
      const sought = idOf(random(step + 1));
      expect(flight.get(sought)).toEqual(map.get(sought));
      expect(flight.size).toBe(map.size);
    }
    const ids = (entries: Iterable<Entry>): string[] => [...entries].map(({ id }) => String(id)).sort();
    expect(ids(flight.values())).toEqual(ids(map.values()));
  });
});
