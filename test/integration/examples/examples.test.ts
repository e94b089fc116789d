/** The examples and the code of the README, run as a reader would run them. */

import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PLUMB = join(ROOT, 'dist/cli/main.js');

async function example(name: string): Promise<string> {
  const { stdout } = await run(process.execPath, [join(ROOT, 'examples', name)]);
  return stdout;
}

describe('examples', () => {
  test('the weather client gets a forecast from the weather server', async () => {
    expect(await example('weather-client.mjs')).toBe(
      [
        'tool: forecast',
        'progress: asking the station in Bern',
        'forecast: {"unit":"C","temperatures":[20,21,22]}',
        'station: {"city":"Bern","height":550}',
        '',
      ].join('\n'),
    );
  });

  test('the middleware hides a tool, refuses it by name, and sees the calls', async () => {
    const output = await example('middleware.mjs');
    expect(output).toContain('greet\n');
    expect(output).toContain('Not allowed');
    expect(output).toContain('inbound tools/call\n');
    expect(output).not.toContain('greet drop_tables');
  });

  test('the chain of a module serves two servers behind middleware', async () => {
    const served = ['--', process.execPath, PLUMB, 'chain', join(ROOT, 'examples/chain.mjs'), '--stdio'];
    const listed = await run(process.execPath, [PLUMB, 'list', 'tools', ...served]);
    expect(listed.stdout).toContain('clock__now');
    expect(listed.stdout).toContain('weather__forecast');
    expect(listed.stdout).not.toContain('delete_time');
    const { stdout } = await run(process.execPath, [PLUMB, 'call', 'clock__now', ...served]);
    expect(stdout).toMatch(/^Now: \d{4}-/);
  }, 60_000);

  test('the chain of a configuration file shows what it is told to, under the names that it is told', async () => {
    const served = ['--', process.execPath, PLUMB, 'chain', 'examples/chain.yaml', '--stdio'];
    const listed = await run(process.execPath, [PLUMB, 'list', ...served], { cwd: ROOT });
    expect(listed.stdout).toContain('The weather of the coming days');
    expect(listed.stdout).toContain('remember');
    expect(listed.stdout).toContain('demo://note');
    expect(listed.stdout).not.toContain('notes__add');
    const args = ['call', 'remember', 'text=milk', ...served];
    expect((await run(process.execPath, [PLUMB, ...args], { cwd: ROOT })).stdout).toContain('Noted.');
  }, 60_000);

  test('the command line calls the weather server and answers its question', async () => {
    const args = ['call', 'forecast', 'city=Bern', '--answer', 'unit=F', '--json'];
    const server = [process.execPath, join(ROOT, 'examples/weather-server.mjs')];
    const { stdout } = await run(process.execPath, [PLUMB, ...args, '--', ...server]);
    expect(JSON.parse(stdout)).toMatchObject({
      structuredContent: { unit: 'F', temperatures: [20, 21, 22] },
    });
  });
});

describe('the README', () => {
  test('its server and its client work together as they are printed', async () => {
    const blocks = await codeBlocks('ts');
    const server = blocks.find((block) => block.includes('createServer'));
    const client = blocks.find((block) => block.includes('connect('));
    expect(server).toBeDefined();
    expect(client).toBeDefined();
    // Inside the package, so that `plumb-mcp/...` resolves to what was built.
    const folder = join(ROOT, '.scratch', `readme-${process.pid}`);
    await mkdir(folder, { recursive: true });
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'server.js'), server ?? '');
    await writeFile(join(folder, 'client.js'), client ?? '');
    const { stdout } = await run(process.execPath, ['client.js'], { cwd: folder });
    expect(stdout).toContain('forecast');
    expect(stdout).toContain('temperatures');
  });

  test('every plumb command it names exists', async () => {
    const { stdout: help } = await run(process.execPath, [PLUMB, '--help']);
    const commands = (await codeBlocks('sh')).join('\n').matchAll(/^plumb (\w+)/gm);
    for (const [, command] of commands) expect(help).toContain(`\n  ${command}`);
  });
});

async function codeBlocks(language: string): Promise<string[]> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(
    ([, code]) => code ?? '',
  );
}
