/** Ctrl-C and its relatives: what the shell and the terminal see. test/security/orphans.test.ts looks for what is left. */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { descendantsOf } from '../../support/process-tree.js';
import { DEMO, start } from './plumb.js';

const [, NODE = '', MAIN = ''] = DEMO;
const running: ChildProcess[] = [];

afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

describe.concurrent('a command that listens', () => {
  for (const words of [
    ['demo', '--http', '0'],
    ['start', '--no-open', '--port', '0'],
    ['inspect', '--no-open'],
  ]) {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      it(`plumb ${words[0]} ends with ${EXIT_CODES[signal]} after ${signal}`, async () => {
        const command = start(words);
        running.push(command.process);
        const output = (): string => command.stdout() + command.stderr();
        while (!/http:\/\/\S+/.test(output())) await changed(command.process);
        command.process.kill(signal);
        expect(await command.ended).toMatchObject({ code: EXIT_CODES[signal] });
      });
    }
  }
});

describe.skipIf(process.platform === 'win32')('npx', () => {
  it.each([
    ['over HTTP', 'demo --http 0'],
    ['over stdio', 'demo --stdio'],
  ])('that is killed takes a server %s with it', async (_how, words) => {
    // As npx runs it: a shell that does not pass signals on.
    const shell = spawn('/bin/sh', ['-c', `'${NODE}' '${MAIN}' ${words}; exit`], {
      env: { ...process.env, npm_lifecycle_script: "'plumb'" },
    });
    running.push(shell);
    shell.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await changed(shell);
    const closed = new Promise((resolve) => shell.once('close', resolve));
    shell.kill('SIGTERM');
    // Its output closes with the last process that holds it.
    await closed;
  });

  it.runIf(process.platform === 'linux')('takes a server with it too when its shell is left', async () => {
    const command = `'${NODE}' '${MAIN}' demo --http 0; exit`;
    const npm = spawn('/bin/sh', ['-c', '/bin/sh -c "$0" & wait', command], {
      argv0: 'npm',
      env: { ...process.env, npm_lifecycle_script: "'plumb'" },
    });
    running.push(npm);
    await changed(npm);
    const closed = new Promise((resolve) => npm.once('close', resolve));
    npm.kill('SIGKILL');
    await closed;
  });
});

/** Resolves when the process writes something. */
function changed({ stdout, stderr }: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => {
    stdout?.once('data', resolve);
    stderr?.once('data', resolve);
  });
}

/** `script` gives the command a terminal. What the terminal is like afterwards is told by stty. */
describe.runIf(process.platform === 'linux' && existsSync('/usr/bin/script'))('a command that asks', () => {
  const asking = `'${NODE}' '${MAIN}' call book_table guests=4 -- '${NODE}' '${MAIN}' demo --stdio`;

  async function interrupted(interrupt: (terminal: ChildProcess, shell: number) => void): Promise<string> {
    const command = `echo shell $$; ${asking}; echo "code $?"; stty -a`;
    const terminal = spawn('/usr/bin/script', ['-qfec', command, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, TERM: 'xterm', SHELL: '/bin/sh' },
    });
    running.push(terminal);
    let output = '';
    const ended = new Promise((resolve) => terminal.once('close', resolve));
    await new Promise<void>((resolve) => {
      terminal.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes('Book it?')) resolve();
      });
    });
    interrupt(terminal, Number(/shell (\d+)/.exec(output)?.[1]));
    await ended;
    return output;
  }

  it('gives the terminal back as it was after Ctrl-C', async () => {
    const output = await interrupted(({ stdin }) => stdin?.write('\u0003'));
    expect(output).toContain('code 130');
    expect(output).toMatch(/ icanon .* echo /);
  }, 60_000);

  it('gives the terminal back as it was after SIGTERM', async () => {
    const output = await interrupted((_terminal, shell) => {
      const [command] = descendantsOf(shell);
      if (command === undefined) throw new Error('the command is gone already');
      process.kill(command.pid, 'SIGTERM');
    });
    expect(output).toContain('code 143');
    expect(output).toMatch(/ icanon .* echo /);
  }, 60_000);
});

describe.runIf(process.platform === 'linux' && existsSync('/usr/bin/script'))('a command on stdio', () => {
  it('tells the user at a terminal what it waits for, once, and ends with Ctrl-C', async () => {
    const command = `exec '${NODE}' '${MAIN}' proxy -- no-such-command`;
    const terminal = spawn('/usr/bin/script', ['-qfec', command, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, SHELL: '/bin/sh' },
    });
    running.push(terminal);
    let output = '';
    terminal.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const ended = new Promise((resolve) => terminal.once('close', (code) => resolve(code)));
    while (!output.includes('\n')) await changed(terminal);
    terminal.stdin.write('\u0003');
    // The code of the command, as -e has it.
    expect(await ended).toBe(130);
    const [notice, ...rest] = output.split(/\r?\n/).filter((line) => line !== '');
    expect(notice).toMatch(/^The proxy speaks MCP on stdin and stdout, .*--http 3300/);
    expect(rest.join('\n')).toMatch(/^(?:\^C)?$/);
  }, 60_000);
});
