import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { PLUMB_VERSION } from '../../../src/protocol/version.js';
import { DEMO, fixture, plumb, start } from './plumb.js';

const directory = mkdtempSync(join(tmpdir(), 'plumb-cli-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.concurrent('plumb', () => {
  it('shows help for itself and for each command', async () => {
    const { code, stdout } = await plumb(['--help']);
    expect(code).toBe(0);
    expect(await plumb([])).toMatchObject({ code: 0, stdout });
    for (const command of ['list', 'call', 'read', 'prompt', 'complete', 'demo']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
      const help = await plumb([command, '--help']);
      expect(help).toMatchObject({ code: 0, stderr: '' });
      expect(help.stdout).toContain(`Usage: plumb ${command}`);
      expect(help.stdout).toContain(`Examples:\n  plumb `);
      for (const { version } of REVISIONS) expect(help.stdout.replaceAll(/\s+/g, ' ')).toContain(version);
    }
  });

  it('says which version it is', async () => {
    expect(await plumb(['--version'])).toEqual({ code: 0, stdout: `${PLUMB_VERSION}\n`, stderr: '' });
  });

  it('starts by saying what to try', async () => {
    const running = start(['start', '--no-open', '--port', '0']);
    await expect.poll(running.stdout).toContain('Ctrl-C ends it.');
    const url = /listens at (\S+)/.exec(running.stdout())?.[1] ?? '';
    expect(running.stdout()).toContain(`call ${url} add a=2 b=3`);
    expect(await plumb(['call', url, 'add', 'a=2', 'b=3', '--json'])).toMatchObject({ code: 0 });
    running.process.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130 });
  });
});

describe.concurrent('plumb list', () => {
  it('prints all that a server has as one JSON document', async () => {
    const { stdout, stderr } = await plumb(['list', '--json', ...DEMO]);
    expect(JSON.parse(stdout)).toMatchObject({
      revision: REVISIONS.at(-1)?.version,
      server: { name: 'plumb-demo' },
      capabilities: { tools: {} },
      tools: expect.any(Array),
      resources: expect.any(Array),
      resourceTemplates: expect.any(Array),
      prompts: expect.any(Array),
    });
    expect(stderr).toBe('');
  });

  it('fetches every page', async () => {
    const { stdout } = await plumb(['list', 'tools', ...DEMO, '--tools', '30', '--page-size', '20']);
    expect(stdout).toContain('extra_30');
  });

  it('survives a reader who leaves early', async () => {
    const running = start(['list', ...DEMO]);
    running.process.stdout?.destroy();
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe.concurrent('plumb call', () => {
  const result = async (...words: string[]): Promise<string> =>
    (await plumb(['call', ...words, ...DEMO])).stdout;

  it('types arguments by the schema of the tool', async () => {
    const words = [
      'flag=yes',
      'integer=3',
      'text=3',
      'tags=a',
      'tags=b',
      'sizes=1',
      'place.floor=2',
      'number:=0.5',
    ];
    expect(JSON.parse(await result('describe', ...words))).toEqual({
      flag: true,
      integer: 3,
      text: '3',
      tags: ['a', 'b'],
      sizes: [1],
      place: { floor: 2 },
      number: 0.5,
    });
  });

  it('takes arguments as JSON, from a file, and from stdin', async () => {
    const file = join(directory, 'args.json');
    writeFileSync(file, '{"message": "from a file"}');
    expect(await result('echo', '--args', '{"message": "as JSON"}')).toBe('as JSON\n');
    expect(await result('echo', '--args', `@${file}`)).toBe('from a file\n');
    expect(await result('echo', '--args', '{"message": "as JSON"}', 'message=typed')).toBe('typed\n');
    const piped = await plumb(['call', 'echo', '--args', '-', ...DEMO], { input: '{"message": "piped"}' });
    expect(piped.stdout).toBe('piped\n');
  });

  it('names binary content, and saves it', async () => {
    const out = join(directory, 'picture.png');
    const { stdout, stderr } = await plumb(['call', 'image', '--out', out, ...DEMO]);
    expect(stdout).toBe('[image image/png 104 B]\n');
    expect(stderr).toBe(`Saved 104 B to ${out}\n`);
    expect(readFileSync(out).subarray(1, 4).toString()).toBe('PNG');
  });

  it('shows log messages when asked to', async () => {
    const { stdout, stderr } = await plumb(['call', 'log', 'message=hi', '--verbose', ...DEMO]);
    expect(stdout).toBe('Logged four messages.\n');
    expect(stderr).toBe(
      'debug demo: {"message":"hi","detail":{"level":"lowest"}}\ninfo demo: hi\nwarning demo: hi\nerror: hi\n',
    );
    expect(await plumb(['call', 'log', ...DEMO])).toMatchObject({ stderr: '' });
  });

  it("shows the server's stderr when asked to", async () => {
    const { stderr } = await plumb(['call', 'fail', 'how=unexpected', '--stderr', ...DEMO]);
    expect(stderr).toContain('A detail that clients must not see');
    const silent = await plumb(['call', 'fail', 'how=unexpected', ...DEMO]);
    expect(silent.stderr).not.toContain('A detail');
  });

  it('runs a command in the environment of the shell', async () => {
    const { stdout } = await plumb(
      ['call', 'environment', '--env', 'A=1', ...fixture('environment-server')],
      {
        env: { A: '0', B: '2' },
      },
    );
    expect(JSON.parse(stdout)).toEqual({ A: '1', B: '2' });
  });

  it('gives a configured server the environment of its entry, and no more', async () => {
    const [, command, ...args] = fixture('environment-server');
    const config = join(directory, 'environment.json');
    writeFileSync(config, JSON.stringify({ mcpServers: { here: { command, args, env: { A: '1' } } } }));
    const { stdout } = await plumb(['call', 'here', 'environment', '--config', config, '--env', 'B'], {
      env: { B: '2', C: '3' },
    });
    expect(JSON.parse(stdout)).toEqual({ A: '1', B: '2' });
  });
});

describe.concurrent('a server that asks', () => {
  const call = (...words: string[]) => plumb(['call', ...words, ...DEMO]);

  it('gets the answers given on the command line', async () => {
    expect((await call('book_table', '--answer', 'confirmed=yes')).stdout).toBe(
      'Reservation 1 is confirmed.\n',
    );
    const form = await call(
      'ask_form',
      '--answers',
      '{"name": "Bo", "email": "b@c.de"}',
      '--answer',
      'guests=3',
    );
    expect(form.stdout).toContain('"guests": 3');
    const all = ['--answer', 'name=Bo', '--sample-text', 'Hello', '--root', '/tmp', '--root', '.'];
    expect((await call('ask_everything', ...all)).stdout).toBe('Hello Bo, you work in 2 place(s).\n');
    expect((await call('ask_roots', '--root', '/a b')).stdout).toBe('a b: file:///a%20b\n');
  });

  it('is declined when nobody is there, and the user is told', async () => {
    const { code, stdout, stderr } = await call('ask_form');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'The user chose to decline.\n' });
    expect(stderr).toBe(
      'plumb: Declined the question "Please describe your trip."; answer it with --answer key=value\n',
    );
  });
});

describe.concurrent('plumb read', () => {
  it('prints text as it is, and saves what is not', async () => {
    expect((await plumb(['read', 'demo://readme', ...DEMO])).stdout).toMatch(
      /^# Plumb demo\n\n[\s\S]*template\.\n$/,
    );
    expect((await plumb(['read', 'demo://logo.png', ...DEMO])).stdout).toBe('[image image/png 104 B]\n');
    const out = join(directory, 'logo.png');
    expect(await plumb(['read', 'demo://logo.png', '--out', out, ...DEMO])).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(readFileSync(out)).toHaveLength(104);
  });

  it('prints the raw result as JSON', async () => {
    const { stdout } = await plumb(['read', 'demo://note', '--json', ...DEMO]);
    expect(JSON.parse(stdout)).toMatchObject({
      contents: [{ uri: 'demo://note', text: 'Nothing noted yet.' }],
    });
  });
});

describe.concurrent('plumb complete', () => {
  it('knows what is settled already', async () => {
    const words = ['complete', 'resource:demo://cities/{country}/{city}', 'city'];
    expect((await plumb([...words, '--with', 'country=japan', ...DEMO])).stdout).toBe('kyoto\ntokyo\n');
    expect(JSON.parse((await plumb([...words, 'p', '--json', ...DEMO])).stdout)).toMatchObject({
      completion: { values: ['paris', 'pisa'] },
    });
  });
});

describe.concurrent('configured servers', () => {
  it('are found by name', async () => {
    const [, command, ...args] = DEMO;
    writeFileSync(join(directory, 'mcp.json'), JSON.stringify({ mcpServers: { demo: { command, args } } }));
    expect(await plumb(['call', 'demo', 'echo', 'message=hi'], { cwd: directory })).toMatchObject({
      stdout: 'hi\n',
    });
    const config = join(directory, 'mcp.json');
    expect(await plumb(['call', 'demo', 'echo', 'message=hi', '--config', config])).toMatchObject({
      stdout: 'hi\n',
    });
  });
});
