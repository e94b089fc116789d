/** `plumb call` and `plumb task` with a server whose tools run as tasks. */

import { createServer } from 'plumb-mcp/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, plumb, start } from './plumb.js';

let url: string;
const server = createServer({ name: 'films', version: '1.0.0', tasks: { pollInterval: 50 } });
/** Calls of `film` that wait to be let go. */
const waiting: { begun: () => void; end: Promise<void> }[] = [];
server.tool('film', { task: 'optional' }, async (_args, ctx) => {
  ctx.status('filming');
  const { begun, end } = waiting.shift() ?? { begun: () => undefined, end: Promise.resolve() };
  begun();
  const aborted = new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
  await Promise.race([end, aborted]);
  return 'The end';
});

beforeAll(async () => {
  url = (await server.http({ port: 0 })).url;
});
afterAll(() => server.close({ drain: 0 }));

/** Calls `film`, and interrupts the command when the tool runs. */
async function leave(...flags: string[]) {
  let begun = (): void => undefined;
  let letGo = (): void => undefined;
  const running = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const end = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  waiting.push({ begun, end });
  const command = start(['call', url, 'film', ...flags]);
  await running;
  command.process.kill('SIGINT');
  const { code, stderr } = await command.ended;
  const [, resume = '', id = ''] = /run: plumb (task resume \S+ (\S+))/.exec(stderr) ?? [];
  return { code, stderr, id, resume: resume.split(' '), letGo };
}

describe.each(['2025-11-25', '2026-07-28'])('a task in %s', (revision) => {
  const flags = ['--revision', revision];

  it('goes on after Ctrl-C, and is resumed with the command that was printed', async () => {
    const { code, stderr, id, resume, letGo } = await leave(...flags);
    expect(code).toBe(130);
    expect(stderr).toContain(`To stop it, run: plumb task cancel ${url} ${id}`);
    const got = await plumb(['task', 'get', url, id, ...flags]);
    expect(got.stdout).toMatch(new RegExp(`^${id} .*working: filming\n$`));
    letGo();
    expect(await plumb([...resume, ...flags])).toMatchObject({ code: 0, stdout: 'The end\n' });
  }, 60_000);

  it('is cancelled by its id', async () => {
    const { id, resume } = await leave(...flags);
    expect((await plumb(['task', 'cancel', url, id, ...flags])).stdout).toBe(`Cancelled ${id}\n`);
    const got = await plumb(['task', 'get', url, id, '--json', ...flags]);
    expect(JSON.parse(got.stdout)).toMatchObject({ id, status: 'cancelled' });
    const resumed = await plumb([...resume, ...flags]);
    expect(resumed.code).toBe(1);
    expect(resumed.stderr).toContain('The task was cancelled');
  }, 60_000);
});

describe.concurrent('plumb task', () => {
  it('lists what a server on stdio lists', async () => {
    const { code, stdout } = await plumb(['task', 'list', '--revision', '2025-11-25', ...DEMO]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'No tasks\n' });
  });

  it('says what is missing', async () => {
    expect((await plumb(['task'])).stderr).toContain('plumb task list|get|cancel|resume');
    expect((await plumb(['task', 'get', url])).stderr).toContain(`plumb task get ${url} ID`);
    const unknown = await plumb(['task', 'get', url, 'nothing']);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('There is no such task');
  });

  it('has a tool in the demo, which may ask while it runs', async () => {
    const args = ['call', 'render', 'scenes=2', 'sceneMs=1', 'askTitle=true', '--answer', 'title=Jaws'];
    expect((await plumb([...args, ...DEMO])).stdout).toBe('Rendered "Jaws" in 2 scene(s).\n');
  });
});
