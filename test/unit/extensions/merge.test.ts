import { describe, expect, test } from 'vitest';
import type { ExtensionShape } from '../../../src/extensions/extension.js';
import { mergeDeclarations } from '../../../src/extensions/merge.js';

const ID = 'com.example/x';
const known: ExtensionShape[] = [{ id: ID }];

describe('the declarations of several servers', () => {
  test('promise what all servers that have the extension promise', () => {
    const one = { [ID]: { listChanged: true, directoryRead: true, limits: { size: 3 } } };
    const other = { [ID]: { listChanged: false, limits: { size: 3 } } };
    expect(mergeDeclarations([one, undefined, other], known)).toEqual({ [ID]: { limits: { size: 3 } } });
    expect(mergeDeclarations([one], known)).toEqual(one);
  });

  test('are none where the servers have different revisions of it', () => {
    const declared = [{ [ID]: { revision: '1' } }, { [ID]: {} }];
    expect(mergeDeclarations(declared, known)).toBeUndefined();
  });

  test('leave out extensions that are not known', () => {
    expect(mergeDeclarations([{ 'com.example/y': {} }], known)).toBeUndefined();
  });

  test('follow the rule of the extension', () => {
    const merge = (all: readonly { readonly [key: string]: unknown }[]) => ({
      size: Math.min(...all.map(({ size }) => Number(size))),
    });
    const declared = [{ [ID]: { size: 3 } }, { [ID]: { size: 2 } }];
    expect(mergeDeclarations(declared, [{ id: ID, merge }])).toEqual({ [ID]: { size: 2 } });
  });
});
