/** `plumb test`, `lock`, `diff`, `gen` and `lint` of the installed package, in an empty folder, on official servers. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from './support/eventually.js';
import { type Ended, installed, startPlumb } from './support/plumb.js';
import { realServers } from './support/servers.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();
const folder = workspace.path('tests');
mkdirSync(folder);

const servers = realServers(workspace);
const command = (name: string): string[] => {
  const server = servers.find((each) => each.name === name);
  if (server === undefined) throw new Error(`There is no server ${name}`);
  return ['--', server.command, ...server.args];
};
const run = (...words: string[]): Promise<Ended> => startPlumb(workspace, words, { cwd: folder }).ended;
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

test('tests are generated, pass, turn red when the server changes, and follow an updated snapshot', async () => {
  expect(await run('test', '--generate', '-o', 'tests.yaml', ...command('memory'))).toMatchObject({
    code: 0,
  });
  expect(await run('test', 'tests.yaml')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/[1-9]\d* passed, 0 failed/),
  });

  // A server of the user's own, with the installed package.
  const server = (answer: string): string => `import { createServer } from ${JSON.stringify(
    join(installed, 'node_modules', 'plumb-mcp', 'dist', 'server', 'index.js'),
  )};
const server = createServer({ name: 'own', version: '1.0.0' });
server.tool('say', { description: 'Says it' }, () => ${JSON.stringify(answer)});
await server.stdio();
`;
  const change = (answer: string): void => writeFileSync(join(folder, 'own.mjs'), server(answer));
  change('one');
  writeFileSync(
    join(folder, 'own.yaml'),
    'server: { command: node, args: [own.mjs] }\ntests: { tools: { say: { snapshot: true } } }\n',
  );
  expect(await run('test', 'own.yaml', '-u')).toMatchObject({ code: 0 });
  change('two');
  const red = await run('test', 'own.yaml');
  expect(red.code).toBe(1);
  expect(red.stdout).toMatch(/- content\[0\]\.text: "one"\s+\+ content\[0\]\.text: "two"/);
  expect(red.stdout).toContain('repeat: plumb test own.yaml --case say');

  const watching = startPlumb(workspace, ['test', 'own.yaml', '--watch'], { cwd: folder });
  await eventually(() => expect(watching.stderr()).toContain('waiting for changes'));
  change('one');
  await eventually(() => expect(watching.stdout()).toMatch(/ 0 failed/));
  watching.process.kill('SIGINT');
  expect(await watching.ended).toMatchObject({ code: 0 });
  expect((await run('test', 'own.yaml', '--server', 'node no-such-file.mjs')).code).toBe(3);
}, 120_000);

test('a lock is written, a change breaks it, code is generated for it, and its cost is told', async () => {
  expect(await run('lock', ...command('memory'))).toMatchObject({ code: 0 });
  expect(await run('diff', ...command('memory'))).toMatchObject({ code: 0 });
  const lock = JSON.parse(read('plumb.lock.json'));
  expect(Object.keys(lock.tools ?? lock.surface?.tools ?? {}).length).toBeGreaterThan(0);
  const other = await run('diff', ...command('everything'));
  expect(other.code).not.toBe(0);
  expect(other.stdout).toContain('create_entities');

  expect(await run('gen', '-o', 'typed', ...command('memory'))).toMatchObject({ code: 0 });
  expect(existsSync(join(folder, 'typed', 'index.ts'))).toBe(true);
  expect(read('typed/index.ts')).toContain('createEntities');

  const lint = await run('lint', ...command('memory'));
  expect(lint.code).toBeOneOf([0, 1]);
  expect(lint.stdout).toMatch(/create_entities[\s\S]*tokens|tokens[\s\S]*create_entities/);
}, 120_000);
