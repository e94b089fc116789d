/** The tables of the five revisions beside the official schemas, as files and as the official packages carry them. */

import * as core from '@modelcontextprotocol/core';
import * as sdk from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import {
  ASSUMED_REVISION,
  findRevision,
  HANDSHAKE_REVISIONS,
  REVISIONS,
  type Revision,
  selectRevisions,
} from '../../../src/protocol/revisions/index.js';
import type { RevisedShape } from '../../../src/protocol/revisions/revision.js';
import { type Direction, OFFICIAL_SCHEMAS } from '../../support/official-schema.js';

type Table = 'clientRequests' | 'clientNotifications' | 'serverRequests' | 'serverNotifications';

const TABLES: readonly (readonly [Table, Direction])[] = [
  ['clientRequests', 'ClientRequest'],
  ['clientNotifications', 'ClientNotification'],
  ['serverRequests', 'ServerRequest'],
  ['serverNotifications', 'ServerNotification'],
];

const CORE: Readonly<Record<Direction, unknown>> = {
  ClientRequest: core.ClientRequestSchema,
  ClientNotification: core.ClientNotificationSchema,
  ServerRequest: core.ServerRequestSchema,
  ServerNotification: core.ServerNotificationSchema,
};

const SDK: Readonly<Record<Direction, unknown>> = {
  ClientRequest: sdk.ClientRequestSchema,
  ClientNotification: sdk.ClientNotificationSchema,
  ServerRequest: sdk.ServerRequestSchema,
  ServerNotification: sdk.ServerNotificationSchema,
};

function revision(version: string): Revision {
  const found = findRevision(version);
  if (found === undefined) throw new Error(`No revision ${version}`);
  return found;
}

const sorted = (methods: Iterable<string>): string[] => [...new Set(methods)].sort();

/** The methods in a union of zod schemas, each of which has a literal `method`. */
function methodsOf(union: unknown): string[] {
  const { options } = union as { options: readonly { shape: { method: { value: string } } }[] };
  return sorted(options.map(({ shape }) => shape.method.value));
}

const isTask = (method: string): boolean => method.includes('tasks/');

describe('methods', () => {
  test.each(TABLES)('%s of 2025-11-25 are those of the official SDK 1', (table, direction) => {
    expect(sorted(revision('2025-11-25')[table])).toEqual(methodsOf(SDK[direction]));
  });

  // The official core package joins both eras in one union, and leaves the tasks of 2025-11-25 out of it.
  test.each(TABLES)(
    '%s of the two newest revisions are together those of the official core',
    (table, direction) => {
      const both = [...revision('2025-11-25')[table], ...revision('2026-07-28')[table]];
      expect(sorted(both).filter((method) => !isTask(method))).toEqual(methodsOf(CORE[direction]));
    },
  );

  test.each(TABLES)('%s of every revision are known to the official packages', (table, direction) => {
    const known = new Set([...methodsOf(CORE[direction]), ...methodsOf(SDK[direction])]);
    for (const entry of REVISIONS)
      expect([...entry[table]].filter((method) => !known.has(method))).toEqual([]);
  });

  const changes = (table: Table) =>
    REVISIONS.slice(1).map((entry, index) => {
      const before = REVISIONS[index]?.[table] ?? new Set();
      return {
        version: entry.version,
        added: sorted(entry[table]).filter((method) => !before.has(method)),
        removed: sorted(before).filter((method) => !entry[table].has(method)),
      };
    });
  const none = { added: [], removed: [] };
  const tasks = ['tasks/cancel', 'tasks/get', 'tasks/list', 'tasks/result'];

  test('client requests change as the changelogs say', () => {
    expect(changes('clientRequests')).toEqual([
      { version: '2025-03-26', ...none },
      { version: '2025-06-18', ...none },
      { version: '2025-11-25', added: tasks, removed: [] },
      {
        version: '2026-07-28',
        added: ['server/discover', 'subscriptions/listen'],
        removed: [
          'initialize',
          'logging/setLevel',
          'ping',
          'resources/subscribe',
          'resources/unsubscribe',
          ...tasks,
        ],
      },
    ]);
  });

  test('server requests come with elicitation and tasks, and end with the stateless revision', () => {
    expect(changes('serverRequests')).toEqual([
      { version: '2025-03-26', ...none },
      { version: '2025-06-18', added: ['elicitation/create'], removed: [] },
      { version: '2025-11-25', added: tasks, removed: [] },
      {
        version: '2026-07-28',
        added: [],
        removed: ['elicitation/create', 'ping', 'roots/list', 'sampling/createMessage', ...tasks],
      },
    ]);
    expect(revision('2026-07-28').serverRequests.size).toBe(0);
  });

  test('what a server may ask is what it may request, or embed once requests are gone', () => {
    for (const entry of HANDSHAKE_REVISIONS) {
      const asks = sorted(entry.serverRequests).filter((method) => method !== 'ping' && !isTask(method));
      expect(sorted(entry.asks)).toEqual(asks);
    }
    expect(sorted(revision('2026-07-28').asks)).toEqual([
      'elicitation/create',
      'roots/list',
      'sampling/createMessage',
    ]);
    expect(sorted(revision('2026-07-28').askableMethods)).toEqual([
      'prompts/get',
      'resources/read',
      'tools/call',
    ]);
  });

  test('only the stateless revision has results that may be cached', () => {
    for (const entry of HANDSHAKE_REVISIONS) expect(entry.cacheable.size).toBe(0);
    expect(sorted(revision('2026-07-28').cacheable)).toEqual([
      'prompts/list',
      'resources/list',
      'resources/read',
      'resources/templates/list',
      'server/discover',
      'tools/list',
    ]);
  });

  for (const schema of OFFICIAL_SCHEMAS) {
    test.each(TABLES)(`%s of ${schema.version} are those of its official schema`, (table, direction) => {
      expect(sorted(revision(schema.version)[table])).toEqual(sorted(schema.methods(direction)));
    });
  }
});

describe('vocabulary', () => {
  /** Where the fields of a shape stand in the official schemas; older files name some definitions otherwise. */
  const DEFINITIONS: Partial<Record<RevisedShape, readonly string[]>> = {
    implementation: ['Implementation'],
    serverCapabilities: ['ServerCapabilities'],
    clientCapabilities: ['ClientCapabilities'],
    tool: ['Tool'],
    resource: ['Resource'],
    resourceTemplate: ['ResourceTemplate'],
    resourceContents: ['TextResourceContents', 'BlobResourceContents'],
    prompt: ['Prompt'],
    promptArgument: ['PromptArgument'],
    content: ['TextContent'],
    annotations: ['Annotations'],
    root: ['Root'],
    promptReference: ['PromptReference'],
  };

  for (const schema of OFFICIAL_SCHEMAS) {
    const readBy = revision(schema.version).reads;
    const gated = (shape: RevisedShape): string[] => sorted(REVISIONS.flatMap((entry) => entry.reads[shape]));

    test.each(Object.entries(DEFINITIONS) as [RevisedShape, readonly string[]][])(
      `of ${schema.version}: %s has exactly the fields of the official schema`,
      (shape, definitions) => {
        for (const definition of definitions) {
          // The first two revisions write annotations inline, as a base that Resource and others extend.
          if (
            !schema.has(definition) ||
            (definition === 'Annotations' && schema.fields('Annotations').size === 0)
          )
            continue;
          const official = schema.fields(definition);
          expect(gated(shape).filter((field) => official.has(field))).toEqual(sorted(readBy[shape]));
        }
      },
    );
  }

  test('fields are introduced before they are removed', () => {
    for (const entry of REVISIONS) {
      for (const fields of Object.values(entry.reads)) {
        expect(fields.filter((field) => field.startsWith('-'))).toEqual([]);
        expect(new Set(fields).size).toBe(fields.length);
      }
    }
  });
});

describe('rules', () => {
  const rule = <Key extends keyof Revision>(key: Key) => REVISIONS.map((entry) => entry[key]);

  test('batches are accepted in one revision alone', () => {
    expect(rule('batching')).toEqual(['refused', 'accepted', 'refused', 'refused', 'refused']);
  });

  test('bad tool arguments became tool results', () => {
    expect(rule('invalidArguments')).toEqual(['error', 'error', 'error', 'tool_result', 'tool_result']);
  });

  test('a missing resource and a missing capability have the codes of their revision', () => {
    expect(rule('resourceNotFoundCode')).toEqual([-32002, -32002, -32002, -32002, -32602]);
    expect(rule('missingCapabilityCode').at(-1)).toBe(-32021);
    for (const code of rule('missingCapabilityCode').slice(0, -1)) expect(code).not.toBe(-32021);
  });

  test('an unreadable request is answered with a null id until ids became optional', () => {
    expect(rule('unreadableId')).toEqual(['null', 'null', 'null', 'omitted', 'omitted']);
  });

  test('structured content and elicitation grow step by step', () => {
    expect(rule('structuredContent')).toEqual(['none', 'none', 'object', 'object', 'any']);
    expect(rule('elicitation')).toEqual(['none', 'none', 'basic_form', 'form_and_url', 'form_and_url']);
    expect(rule('elicitationId')).toEqual([false, false, false, true, false]);
    expect(rule('samplingTools')).toEqual([false, false, false, true, true]);
  });

  test('content types are those of the revision', () => {
    expect(rule('contentTypes').map((types) => sorted(types))).toEqual([
      ['image', 'resource', 'text'],
      ['audio', 'image', 'resource', 'text'],
      ['audio', 'image', 'resource', 'resource_link', 'text'],
      ['audio', 'image', 'resource', 'resource_link', 'text'],
      ['audio', 'image', 'resource', 'resource_link', 'text'],
    ]);
  });

  test('changes and log levels follow the era', () => {
    expect(rule('changes')).toEqual(['unsolicited', 'unsolicited', 'unsolicited', 'unsolicited', 'listen']);
    expect(rule('logLevel')).toEqual(['session', 'session', 'session', 'session', 'request']);
    expect(rule('askBy').slice(0, 4)).toEqual(Array(4).fill('server_request'));
    expect(rule('askBy').at(-1)).toBe('input_required');
  });
});

describe('choosing revisions', () => {
  test('they stand oldest first, and dates sort as they do', () => {
    const versions = REVISIONS.map(({ version }) => version);
    expect(versions).toEqual([...versions].sort());
    expect(versions).toEqual(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']);
    expect(sdk.SUPPORTED_PROTOCOL_VERSIONS).toEqual(
      expect.arrayContaining(HANDSHAKE_REVISIONS.map(({ version }) => version)),
    );
  });

  test('an HTTP request without a version is taken for what the official SDK takes it for', () => {
    expect(ASSUMED_REVISION.version).toBe(sdk.DEFAULT_NEGOTIATED_PROTOCOL_VERSION);
  });

  test('a selection keeps the order of the revisions and refuses what it does not know', () => {
    expect(selectRevisions(undefined)).toBe(REVISIONS);
    expect(selectRevisions(['2025-06-18', '2024-11-05']).map(({ version }) => version)).toEqual([
      '2024-11-05',
      '2025-06-18',
    ]);
    expect(() => selectRevisions(['2025-06-19'])).toThrow(/2025-06-19.*known are/);
    expect(() => selectRevisions([])).toThrow(/At least one/);
  });

  test('a version is found by its exact text', () => {
    expect(findRevision('2025-06-18')?.version).toBe('2025-06-18');
    for (const version of ['2025-06-18 ', 'DRAFT-2026', '', '__proto__'])
      expect(findRevision(version)).toBeUndefined();
  });
});
