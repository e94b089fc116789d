import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import * as withoutNode from '../../../src/protocol/without-node.js';

const dist = fileURLToPath(new URL('../../../dist/', import.meta.url));

it.each(['server', 'client', 'chain', 'middleware', 'auth'])(
  'the built %s bundles for a page without Node, and without anything left out',
  async (entry) => {
    const missing: string[] = [];
    const build = await rolldown({
      input: join(dist, entry, 'index.js'),
      platform: 'browser',
      // An optional peer, which the author of a page brings.
      external: ['@opentelemetry/api', 'redis'],
      onLog: (_level, { code, message }) => {
        if (code === 'UNRESOLVED_IMPORT') missing.push(message);
      },
    });
    const { output } = await build.generate({ format: 'esm' });
    await build.close();
    expect(missing).toEqual([]);
    const code = output.map((file) => (file.type === 'chunk' ? file.code : '')).join('\n');
    expect(code).not.toMatch(/from "node:|import\("node:/);
  },
);

it('has every name that is asked for behind a lazy import of Node', () => {
  const asked = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && !file.startsWith('inspector'))
    .flatMap((file) => {
      const code = readFileSync(join(dist, file), 'utf8');
      return [
        ...code.matchAll(
          /\{ ([\w, ]+) \} = await import\("#node\/|"#node\/[\w-]+"\)\.then\(\(\{ ([\w, ]+) \}\)/g,
        ),
      ];
    })
    .flatMap(([, awaited, chained]) => (awaited ?? chained ?? '').split(', '));
  expect(asked.length).toBeGreaterThanOrEqual(9);
  for (const name of asked) expect(Object.keys(withoutNode)).toContain(name);
});

it('says what to use instead', () => {
  expect(() => withoutNode.createNodeService()).toThrow(
    'server.http() needs Node, Bun or Deno; serve requests with server.fetch here',
  );
});
