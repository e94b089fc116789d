import { describe, expect, test } from 'vitest';
import { isRecord } from '../../../src/jsonrpc/message.js';
import { findRevision, REVISIONS } from '../../../src/protocol/revisions/index.js';
import type { Revision } from '../../../src/protocol/revisions/revision.js';
import { issuesOf, type ShapeCheck, shapesOf } from '../../../src/validate/schemas/index.js';
import { OFFICIAL_SCHEMAS, type OfficialSchema } from '../../support/official-schema.js';

const TOOL = {
  name: 't',
  description: 'd',
  inputSchema: { type: 'object', properties: {}, required: ['a'] },
};
const RESOURCE = {
  uri: 'a:b',
  name: 'r',
  mimeType: 'text/plain',
  annotations: { audience: ['user'], priority: 0.5 },
};
const TEXT = { type: 'text', text: 't' };
const HINTS = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

/** A complete example of each message, and what the official schema calls it. */
const EXAMPLES: readonly [
  definition: string,
  kind: 'results' | 'notifications',
  method: string,
  example: Record<string, unknown>,
][] = [
  [
    'InitializeResult',
    'results',
    'initialize',
    {
      protocolVersion: 'x',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'n', version: 'v' },
      instructions: 'i',
    },
  ],
  ['DiscoverResult', 'results', 'server/discover', { supportedVersions: ['x'], capabilities: {}, ...HINTS }],
  ['ListToolsResult', 'results', 'tools/list', { tools: [TOOL], nextCursor: 'c', ...HINTS }],
  ['ListResourcesResult', 'results', 'resources/list', { resources: [RESOURCE], ...HINTS }],
  [
    'ListResourceTemplatesResult',
    'results',
    'resources/templates/list',
    { resourceTemplates: [{ uriTemplate: 'a:{b}', name: 't' }], ...HINTS },
  ],
  [
    'ListPromptsResult',
    'results',
    'prompts/list',
    { prompts: [{ name: 'p', description: 'd', arguments: [{ name: 'a', required: true }] }], ...HINTS },
  ],
  [
    'CallToolResult',
    'results',
    'tools/call',
    {
      content: [TEXT, { type: 'image', data: 'AAAA', mimeType: 'image/png' }],
      isError: false,
      resultType: 'complete',
    },
  ],
  [
    'ReadResourceResult',
    'results',
    'resources/read',
    {
      contents: [
        { uri: 'a:b', text: 't' },
        { uri: 'a:c', blob: 'AAAA' },
      ],
      ...HINTS,
    },
  ],
  [
    'GetPromptResult',
    'results',
    'prompts/get',
    { description: 'd', messages: [{ role: 'user', content: TEXT }], resultType: 'complete' },
  ],
  [
    'CompleteResult',
    'results',
    'completion/complete',
    { completion: { values: ['v'], total: 1, hasMore: false }, resultType: 'complete' },
  ],
  [
    'ProgressNotification',
    'notifications',
    'notifications/progress',
    { progressToken: 't', progress: 1, total: 2 },
  ],
  [
    'LoggingMessageNotification',
    'notifications',
    'notifications/message',
    { level: 'info', data: 1, logger: 'l' },
  ],
  ['ResourceUpdatedNotification', 'notifications', 'notifications/resources/updated', { uri: 'a:b' }],
  ['CancelledNotification', 'notifications', 'notifications/cancelled', { requestId: 'r', reason: 'x' }],
];

/** Every copy of the value with one field taken out, or changed into something of another type. */
function* damaged(value: unknown, path = ''): Generator<[where: string, value: unknown]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const [where, broken] of damaged(item, `${path}[${index}]`))
        yield [where, value.with(index, broken)];
    }
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, child] of Object.entries(value)) {
    const { [key]: _, ...rest } = value;
    yield [`${path}.${key} missing`, rest];
    for (const strange of [17.5, 'strange', null, { strange: true }, [null]]) {
      if (typeof strange !== typeof child || Array.isArray(strange) !== Array.isArray(child))
        yield [`${path}.${key} = ${JSON.stringify(strange)}`, { ...value, [key]: strange }];
    }
    for (const [where, broken] of damaged(child, `${path}.${key}`))
      yield [where, { ...value, [key]: broken }];
  }
}

/** Judged by checks of their own, because the schema or its absence says nothing about them. */
const ELSEWHERE = /resultType|ttlMs|cacheScope|properties|\.data |_meta/;

function accepts(shape: ShapeCheck, value: unknown): boolean {
  return issuesOf(shape, value).length === 0;
}

function official(
  schema: OfficialSchema,
  definition: string,
  kind: string,
  method: string,
  value: unknown,
): boolean {
  const instance = kind === 'results' ? value : { jsonrpc: '2.0', method, params: value };
  return schema.problems(definition, instance).length === 0;
}

test('every revision has a shape for each result in the examples that it has a method for', () => {
  for (const revision of REVISIONS) {
    const shapes = shapesOf(revision);
    for (const [, kind, method, example] of EXAMPLES) {
      if (kind !== 'results' || !revision.clientRequests.has(method)) continue;
      const shape = shapes.serverResults.get(method);
      expect(shape === undefined ? ['no shape'] : issuesOf(shape, example)).toEqual([]);
      if (shape !== undefined) expect(issuesOf(shape, 17)).not.toEqual([]);
    }
  }
});

describe.each(OFFICIAL_SCHEMAS.map((schema) => [schema.version, schema] as const))(
  'shapes of %s',
  (version, schema) => {
    const revision: Revision | undefined = findRevision(version);
    const shapes = revision === undefined ? undefined : shapesOf(revision);

    test.each(EXAMPLES.filter(([definition]) => schema.has(definition)))(
      'judge %s as the official schema does',
      (definition, kind, method, example) => {
        const shape =
          kind === 'results' ? shapes?.serverResults.get(method) : shapes?.serverNotifications.get(method);
        if (shape === undefined) throw new Error(`no shape for ${method}`);
        expect(issuesOf(shape, example)).toEqual([]);
        expect(official(schema, definition, kind, method, example)).toBe(true);
        const differences = [...damaged(example)]
          .filter(([where]) => !ELSEWHERE.test(where))
          .filter(([, value]) => accepts(shape, value) !== official(schema, definition, kind, method, value))
          .map(([where]) => where);
        expect(differences).toEqual([]);
      },
    );
  },
);
