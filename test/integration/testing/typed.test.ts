/** Generated clients compile under strict settings, call, and refuse wrong arguments, whatever servers call their things. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client as SdkClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as SdkHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Surface } from '../../../src/chain/lock/surface.js';
import { generateClient } from '../../../src/testing/typed/generate.js';
import { complaintsAbout } from '../../support/compiled.js';

const HOSTILE = `*/ export const stolen = \`\${process.env.HOME}\`; /* \`\u2028 \\ "quoted" \${x} </script>`;

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

/** Eleven schemas, each nasty in its own way, with arguments that fit and arguments that do not. */
const NASTY: readonly { name: string; input: object; output?: object; good: string; bad: string }[] = [
  {
    name: 'class',
    input: object({ delete: { type: 'string' }, 'a-b': { type: 'number' } }, { required: ['delete'] }),
    good: '{ delete: "x", "a-b": 1 }',
    bad: '{ delete: 1 }',
  },
  {
    name: 'get_user',
    input: object({ id: { type: ['integer', 'null'] } }, { required: ['id'] }),
    good: '{ id: null }',
    bad: '{ id: "1" }',
  },
  {
    name: 'getUser',
    input: object({ id: { enum: [1, 'two', null, true] } }),
    good: '{ id: "two" }',
    bad: '{ id: 2 }',
  },
  {
    name: 'get.user',
    input: object({ who: { const: 'me' } }, { required: ['who'] }),
    good: '{ who: "me" }',
    bad: '{ who: "you" }',
  },
  {
    name: 'tree',
    input: object(
      { root: { $ref: '#/$defs/node' } },
      {
        required: ['root'],
        $defs: {
          node: object(
            { value: { type: 'number' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
            { required: ['value'] },
          ),
        },
      },
    ),
    good: '{ root: { value: 1, children: [{ value: 2 }] } }',
    bad: '{ root: { value: 1, children: [{ value: "2" }] } }',
  },
  {
    name: '2 unions',
    input: {
      type: 'object',
      properties: { kind: { type: 'string' } },
      anyOf: [
        object({ path: { type: 'string' } }, { required: ['path'] }),
        object({ url: { type: 'string', format: 'uri' } }, { required: ['url'] }),
      ],
    },
    good: '{ kind: "x", url: "y" }',
    bad: '{ kind: "x" }',
  },
  {
    // As a discriminated union is listed: the members are in the branches alone.
    name: 'edit',
    input: {
      type: 'object',
      oneOf: [
        object({ kind: { const: 'title' }, title: { type: 'string' } }, { required: ['kind', 'title'] }),
        object({ kind: { const: 'label' }, label: { type: 'string' } }, { required: ['kind', 'label'] }),
      ],
    },
    good: '{ kind: "title", title: "x" }',
    bad: '{ kind: "title", title: "x", titel: "y" }',
  },
  {
    name: 'circle',
    input: object(
      { a: { $ref: '#/$defs/a' }, b: { type: 'string' } },
      { $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }, { type: 'string' }] }, b: { $ref: '#/$defs/a' } } },
    ),
    good: '{ a: "x", b: "y" }',
    bad: '{ b: 1 }',
  },
  {
    name: 'read',
    input: object({
      pair: {
        type: 'array',
        prefixItems: [{ type: 'string' }, { type: 'number' }],
        items: false,
        minItems: 1,
      },
    }),
    good: '{ pair: ["x", 1] }',
    bad: '{ pair: [1] }',
  },
  {
    name: 'maps',
    input: object({
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      both: {
        allOf: [object({ a: { type: 'string' } }, { required: ['a'] }), object({ b: { type: 'number' } })],
      },
    }),
    output: object({ done: { type: 'boolean', description: HOSTILE } }, { required: ['done'] }),
    good: '{ labels: { x: "y" }, both: { a: "x", b: 1 } }',
    bad: '{ labels: { x: 1 } }',
  },
  {
    name: `hostile ${HOSTILE}`,
    input: object({
      [HOSTILE]: { type: 'string', description: HOSTILE, pattern: HOSTILE },
      __proto__x: { type: 'string' },
      constructor: { type: 'string' },
    }),
    good: '{ constructor: "x" }',
    bad: '{ constructor: 1 }',
  },
];

const surface: Surface = {
  server: { name: HOSTILE, version: '1' },
  revision: '2025-11-25',
  instructions: undefined,
  lists: {
    tools: NASTY.map(({ name, input, output }) => ({
      name,
      description: HOSTILE,
      inputSchema: input,
      ...(output === undefined ? {} : { outputSchema: output }),
    })),
    prompts: [
      { name: 'class', description: HOSTILE, arguments: [{ name: 'default', required: true }] },
      { name: 'greet' },
    ],
    resources: [{ name: HOSTILE, uri: `x://\`\${a}\`` }],
    resourceTemplates: [
      { name: 'note', uriTemplate: 'x://{folder}/{+path}' },
      { name: 'search', uriTemplate: 'x://s{?q}' },
    ],
  },
};
const IDS = [
  'class2',
  'getUser',
  'getUser2',
  'getUser3',
  'tree',
  '_2Unions',
  'edit',
  'circle',
  'read2',
  'maps',
];

let folder: string;
/** Of the compiler about code that uses everything as it should. */
let complaints: readonly string[];

function write(files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const compile = (...files: readonly string[]): string[] => complaintsAbout(folder, files);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumb-gen-'));
  write(generateClient(surface, { cli: { target: { command: HOSTILE, args: [HOSTILE] } } }));
  const names = [...IDS, 'hostileExportConstStolenProcessEnvHOMEQuotedX'];
  const calls = NASTY.map(({ good }, index) => `await ${names[index]}(client, ${good});\n`);
  const head = `import { connect, type Client } from 'plumb-mcp/client';\nimport { ${names.join(', ')}, createClient, classPrompt, readNote, type Caller } from './index.js';\n`;
  writeFileSync(
    join(folder, 'good.ts'),
    `${head}export async function run(client: Caller) {\n${calls.join('')}await createClient(client).tools.maps({ labels: {} });\nconst result = await maps(client, {});\nconst done: boolean | undefined = result.structuredContent?.done;\nawait classPrompt(client, { default: 'x' });\nawait readNote(client, { folder: 'a b', path: 'c/d' });\nreturn done;\n}\nexport async function own(client: Client) { return run(client); }\nexport { connect };\n`,
  );
  NASTY.forEach(({ bad }, index) => {
    writeFileSync(
      join(folder, `bad${index}.ts`),
      `import { ${names[index]}, type Caller } from './index.js';\nexport const run = (client: Caller) => ${names[index]}(client, ${bad});\n`,
    );
  });
  complaints = compile('good.ts', 'cli.ts');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('code generated for eleven nasty schemas', () => {
  test('compiles, calls included, and a wrong argument of each tool does not', () => {
    expect(complaints).toEqual([]);
    const wrong = compile(...NASTY.map((_, index) => `bad${index}.ts`));
    expect(wrong.map((line) => line.split(':')[0])).toEqual(NASTY.map((_, index) => `bad${index}.ts`).sort());
    for (const line of wrong) expect(line).toMatch(/is not assignable|only specify known properties/);
  });

  test('runs nothing that a description says', () => {
    for (const text of generateClient(surface).values()) {
      const source = ts.createSourceFile('x.ts', text, ts.ScriptTarget.ES2023);
      for (const statement of source.statements) {
        if (ts.isVariableStatement(statement)) expect(statement.getText(source)).not.toContain('stolen =');
      }
    }
  });

  test.each(['Plumb', 'the official SDK'])('calls through a client of %s', async (kind) => {
    const server = createServer({ name: 'nasty', version: '1' });
    const calls: unknown[] = [];
    server.tool('maps', { input: { type: 'object', properties: { labels: { type: 'object' } } } }, (args) => {
      calls.push(args);
      return 'done';
    });
    server.prompt(
      'class',
      { input: { type: 'object', properties: { default: { type: 'string' } } } },
      () => 'hello',
    );
    server.resource('x://{folder}/{+path}', { name: 'note' }, ({ uri }) => String(uri));
    const { maps, classPrompt, readNote } = await import(pathToFileURL(join(folder, 'out/index.js')).href);
    const run = async (client: unknown): Promise<void> => {
      expect(await maps(client, { labels: { a: 'b' } })).toMatchObject({ content: [{ text: 'done' }] });
      expect(calls).toEqual([{ labels: { a: 'b' } }]);
      expect(await classPrompt(client, { default: 'x' })).toMatchObject({
        messages: [{ content: { text: 'hello' } }],
      });
      expect(await readNote(client, { folder: 'a b', path: 'c/d' })).toMatchObject({
        contents: [{ uri: 'x://a%20b/c/d' }],
      });
    };
    if (kind === 'Plumb') {
      const client = await connect(server);
      await run(client).finally(() => client.close());
    } else {
      const { url } = await server.http();
      const client = new SdkClient({ name: 'sdk', version: '1' });
      // The SDK's own types disagree with `exactOptionalPropertyTypes`.
      await client.connect(new SdkHttp(new URL(url)) as Parameters<SdkClient['connect']>[0]);
      await run(client).finally(() => client.close());
    }
    await server.close({ drain: 0 });
  });
});
