import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Registry } from '../../../src/server/registry.js';

function filled(count: number): Registry<string> {
  const registry = new Registry<string>('tool', () => {});
  for (let index = 0; index < count; index += 1) registry.add(`n${index}`, `e${index}`);
  return registry;
}

function walk(registry: Registry<string>, size: number): string[] {
  const entries: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = registry.page(cursor, size);
    entries.push(...page.entries);
    cursor = page.nextCursor;
    if (cursor === undefined) return entries;
  }
}

describe('a registry', () => {
  test('keeps the order of registration, and a replaced entry keeps its place', () => {
    const registry = filled(3);
    expect(registry.replace('n1', 'new')).toBe(true);
    expect(registry.replace('n9', 'new')).toBe(false);
    expect([...registry.entries()]).toEqual(['e0', 'new', 'e2']);
    registry.remove('n0');
    registry.add('n0', 'again');
    expect([...registry.entries()]).toEqual(['new', 'e2', 'again']);
  });

  test('tells of every change, and grows its version with it', () => {
    let changes = 0;
    const registry = new Registry<string>('tool', () => {
      changes += 1;
    });
    registry.add('a', 'a');
    registry.replace('a', 'b');
    registry.remove('a');
    registry.remove('a');
    expect([changes, registry.version]).toEqual([3, 3]);
  });

  test('refuses a name that is taken', () => {
    const registry = filled(1);
    expect(() => registry.add('n0', 'x')).toThrow(/A tool named "n0" is already registered/);
    expect(registry.get('n0')).toBe('e0');
  });

  test('removes an entry only while it is still the one that was meant', () => {
    const registry = filled(1);
    registry.remove('n0');
    registry.add('n0', 'successor');
    expect(registry.remove('n0', 'e0')).toBe(false);
    expect(registry.get('n0')).toBe('successor');
    expect(registry.remove('n0', 'successor')).toBe(true);
  });

  test('pages hold everything exactly once, whatever their size', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.integer({ min: 1, max: 70 }), (count, size) => {
        expect(walk(filled(count), size)).toEqual(Array.from({ length: count }, (_, index) => `e${index}`));
      }),
    );
  });

  test('entries that are removed or added between pages shift nothing', () => {
    const registry = filled(6);
    const first = registry.page(undefined, 2);
    registry.remove('n1'); // the last one of the page before
    registry.remove('n3');
    registry.add('late', 'late');
    const second = registry.page(first.nextCursor, 2);
    const third = registry.page(second.nextCursor, 2);
    expect([first.entries, second.entries, third.entries]).toEqual([
      ['e0', 'e1'],
      ['e2', 'e4'],
      ['e5', 'late'],
    ]);
    expect(third.nextCursor).toBeUndefined();
  });

  test('a cursor past everything that is left gives an empty last page', () => {
    const registry = filled(4);
    const { nextCursor } = registry.page(undefined, 2);
    registry.remove('n2');
    registry.remove('n3');
    expect(registry.page(nextCursor, 2)).toEqual({ entries: [], nextCursor: undefined });
  });

  test('cursors do not show what they hold', () => {
    expect(filled(4).page(undefined, 2).nextCursor).not.toMatch(/2|tool/);
  });

  test.each<[string, unknown]>([
    ['nothing', ''],
    ['junk', 'junk'],
    ['no base64', '%%%'],
    ['a number', 5],
    ['null', null],
    ['an object', {}],
    ['a position alone', btoa('3')],
    ['another list', btoa('prompt:3')],
    ['zero', btoa('tool:0')],
    ['a negative position', btoa('tool:-1')],
    ['a fraction', btoa('tool:1.5')],
    ['a huge position', btoa('tool:99999999999999999')],
    ['more than a position', btoa('tool:3:4')],
    ['white space inside', ` ${btoa('tool:3')}`],
    ['padding left out', btoa('tool:31').replaceAll('=', '')],
  ])('a cursor of %s is refused', (_name, cursor) => {
    expect(() => filled(40).page(cursor, 2)).toThrow(expect.objectContaining({ rpcCode: -32602 }));
  });

  test('any text is a page or a refusal', () => {
    const registry = filled(10);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (cursor) => {
        try {
          expect(registry.page(cursor, 3).entries.length).toBeLessThanOrEqual(3);
        } catch (error) {
          expect(error).toMatchObject({ rpcCode: -32602 });
        }
      }),
    );
  });
});
