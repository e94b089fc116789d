/** References in schemas become pointers, or a reason why there is no form. */

import { describe, expect, it } from 'vitest';
import { resolveReferences } from '../../../src/inspector/web/form/references.js';

describe('references', () => {
  it('to anchors and embedded identifiers become pointers', () => {
    const { schema, problems } = resolveReferences({
      $id: 'https://example.com/root',
      properties: { a: { $ref: '#count' }, b: { $ref: 'inner' }, c: { $dynamicRef: '#node' } },
      $defs: {
        count: { $anchor: 'count', type: 'integer' },
        inner: { $id: 'inner', type: 'string' },
        node: { $dynamicAnchor: 'node', type: 'object' },
      },
    });
    expect(problems).toEqual([]);
    expect(schema).toEqual({
      properties: { a: { $ref: '#/$defs/count' }, b: { $ref: '#/$defs/inner' }, c: { $ref: '#/$defs/node' } },
      $defs: { count: { type: 'integer' }, inner: { type: 'string' }, node: { type: 'object' } },
    });
  });

  it('that are recursive through properties are left to the form', () => {
    const schema = { properties: { child: { $ref: '#' } } };
    expect(resolveReferences(schema)).toEqual({ schema, problems: [] });
  });

  it.each([
    [{ properties: { a: { $ref: '#/$defs/none' } } }, /does not lead anywhere/],
    [{ properties: { a: { $ref: '#none' } } }, /does not lead anywhere/],
    [{ properties: { a: { $ref: 'https://example.com/other' } } }, /another document/],
    [{ $ref: '#' }, /leads only to itself/],
    [{ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, /leads only to itself/],
  ])('that cannot be followed are reported: %j', (schema, reason) => {
    expect(resolveReferences(schema).problems[0]).toMatch(reason);
  });

  it('are only looked for where schemas are', () => {
    const schema = {
      properties: {
        $ref: { type: 'string' },
        default: { $ref: '#/$defs/a', default: { $ref: 'nowhere' } },
        c: { const: { $ref: 'nowhere' }, examples: [{ $ref: 'nowhere' }] },
      },
      $defs: { a: { type: 'object' } },
    };
    expect(resolveReferences(schema)).toEqual({ schema, problems: [] });
  });

  it('of schemas that are nested without end do not exhaust the page', () => {
    let schema: object = {};
    for (let depth = 0; depth < 5_000; depth += 1) schema = { items: schema };
    expect(resolveReferences(schema).problems).toEqual(['it is nested too deeply']);
  });
});
