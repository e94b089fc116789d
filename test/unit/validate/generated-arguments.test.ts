/** Arguments that are made from schemas, and what is judged by them. */

import { createServer } from 'plumb-mcp/server';
import { validateServer } from 'plumb-mcp/validate';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sampleObject } from '../../../src/testing/generate/sample-value.js';
import { toolCases } from '../../../src/testing/generate/tool-cases.js';
import { boundaryCases, invalidCases, validArguments } from '../../../src/validate/generate/arguments.js';

/** As zod writes an integer: with the limits of the type. */
const SAFE = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const unbounded = { type: 'object', properties: { id: SAFE }, required: ['id'] };
const half = { type: 'object', properties: { id: { ...SAFE, maximum: 100 } }, required: ['id'] };

describe('integers that only have the limits of the type', () => {
  test('get a small number', () => {
    expect(validArguments(unbounded)).toEqual({ id: 0 });
    expect(sampleObject(unbounded, unbounded)).toEqual({ id: 1 });
    expect(validArguments(half)).toEqual({ id: 0 });
  });

  test('have no edges there', async () => {
    expect(boundaryCases(unbounded)).toEqual([]);
    expect(boundaryCases(half).map(({ args }) => args)).toEqual([{ id: 100 }]);
    const tool = { name: 'get', inputSchema: { ...unbounded, type: 'object' as const } };
    const cases = await toolCases(tool, { edges: true, negatives: true });
    expect(cases.map(({ name }) => name)).toEqual(['get', 'get:missing-id', 'get:invalid-type-id']);
  });

  test('are broken by a fraction that numbers of that size can have', () => {
    const fractions = (schema: object): unknown[] =>
      invalidCases(schema)
        .filter(({ name }) => name.includes('fraction'))
        .map(({ args }) => args.id);
    expect(fractions(unbounded)).toEqual([0.5]);
    expect(fractions(half)).toEqual([0.5]);
    const huge = { properties: { id: { type: 'integer', minimum: Number.MAX_SAFE_INTEGER - 1 } } };
    expect(fractions(huge)).toEqual([]);
  });
});

test('a server with integers of zod, and with a task that asks, meets the requirements', async () => {
  const server = createServer({ name: 'issues', version: '1' });
  server.tool('list', { input: z.object({ limit: z.number().int().max(100).default(5) }) }, ({ limit }) => {
    return `${limit} issues`;
  });
  server.tool('import', { task: 'optional' }, async (_args, ctx) => {
    const { action } = await ctx.elicit('Which name?', z.object({ name: z.string() }));
    return action;
  });
  const { runs } = await validateServer(server, { only: ['116', '328'], callTools: true });
  const failed = runs.flatMap(({ outcomes }) => outcomes.filter(({ verdict }) => verdict === 'fail'));
  expect(failed).toEqual([]);
  const judged = runs.flatMap(({ outcomes }) => outcomes.filter(({ verdict }) => verdict === 'pass'));
  expect(judged.map(({ id }) => id)).toContain('116');
});
