import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createStdioServerTransport } from '../../../src/transports/stdio/index.js';
import { type CompiledSources, compileSources } from '../../support/compiled-sources.js';
import { fixture, isAlive, untilGone } from '../../support/processes.js';
import { recorder } from '../../support/recorded-messages.js';

let compiled: CompiledSources;
const running: ChildProcessWithoutNullStreams[] = [];

beforeAll(() => {
  compiled = compileSources();
});

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

afterAll(() => compiled.remove());

function run(name: string, ...args: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [fixture(name), compiled.directory, ...args]);
  running.push(child);
  return child;
}

/** Gives the server all its input and ends it there; resolves with what it wrote until it ended. */
async function converse(input: string, options: object = {}) {
  const child = run('server', JSON.stringify(options));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  const lines = (text: string): string[] => text.split('\n').slice(0, -1);
  return { code, stdout: lines(output.stdout), stderr: lines(output.stderr) };
}

const call = (method: string): string => `{"jsonrpc":"2.0","id":1,"method":"${method}"}`;

describe('a server on its own stdin and stdout', () => {
  it('answers, may still send after the end of input, and lets the process end', async () => {
    const { code, stdout, stderr } = await converse(`${call('é🙂')}\n${call('b')}`);
    expect(stdout).toEqual([call('é🙂'), call('b'), '{"jsonrpc":"2.0","method":"farewell"}']);
    expect(stderr).toEqual(['{"closed":"remote"}']);
    expect(code).toBe(0);
  });

  it('gets lines that are no JSON, because it must answer them', async () => {
    const { stdout } = await converse('nonsense\n{}\n');
    expect(stdout.slice(0, 2).map((line) => JSON.parse(line).error.code)).toEqual([-32700, -32600]);
  });

  it('drops a line over the limit and reads on', async () => {
    const { stdout, stderr } = await converse(`"${'x'.repeat(2_000)}"\n${call('after')}\n`, {
      maxLineBytes: 1_000,
    });
    expect(JSON.parse(stderr[0] ?? '')).toMatchObject({ fault: { kind: 'oversize' } });
    expect(stdout[0]).toBe(call('after'));
  });

  it('sends stray output to stderr with one hint', async () => {
    const { stdout, stderr } = await converse(`${call('log')}\n`);
    expect(stdout[0]).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(stderr.slice(0, 3)).toEqual([
      'plumb: stdout carries the protocol; output was sent to stderr',
      'stray output',
      'more of it',
    ]);
  });

  it('leaves stdout alone when told so', async () => {
    const { stdout } = await converse(`${call('log')}\n`, { protectStdout: false });
    expect(stdout.slice(0, 2)).toEqual(['stray output', 'more of it']);
  });

  it('gives stdout and its listeners back on close, and no longer keeps the process alive', async () => {
    const child = run('server');
    const told = createInterface({ input: child.stderr });
    const printed = createInterface({ input: child.stdout });
    const lines: string[] = [];
    told.on('line', (line) => lines.push(line));
    printed.on('line', (line) => lines.push(line));
    // The input stays open: only close() can let the process go.
    child.stdin.write(`${call('close')}\n`);
    await once(child, 'close');
    expect(lines.sort()).toEqual(['stdout is free again', '{"closed":"local"}', '{"leaked":[0,0]}']);
  });

  it('survives a client that stops reading', async () => {
    const child = run('server');
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.stdin.write(`${call('ready')}\n`);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    await once(child.stdout, 'close');
    child.stdin.write(`${call('lost')}\n`);
    const [code] = await Promise.all([
      once(child, 'exit'),
      once(child.stderr, 'data').then(() => child.stdin.end()),
    ]);
    expect(stderr).toBe('{"closed":"error"}\n');
    expect(code).toEqual([0, null]);
  });
});

describe('a server on streams of its own', () => {
  it('delivers what waits in them only after start, and ends them on close', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    input.write(`${call('early')}\n`);
    const transport = createStdioServerTransport({ input, output });
    const received = recorder();
    await transport.start(received);
    expect(received.messages).toEqual([]);
    await received.until(1);
    transport.send('{"jsonrpc":"2.0","id":1,"result":{}}');
    await transport.close();
    expect(output.read().toString()).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n');
    expect(output.writableEnded).toBe(true);
    expect(input.destroyed).toBe(true);
    expect(received.reasons).toEqual([{ kind: 'local' }]);
    await expect(transport.send('{}')).rejects.toMatchObject({ code: 'connection_closed' });
  });
});

describe('a host that dies', () => {
  async function serverOf(host: ChildProcessWithoutNullStreams): Promise<number> {
    const [line] = await once(createInterface({ input: host.stdout }), 'line');
    return Number(line);
  }

  it('leaves no server behind when it is killed outright', async () => {
    const host = run('host', fixture('echo'));
    const pid = await serverOf(host);
    expect(isAlive(pid)).toBe(true);
    host.kill('SIGKILL');
    await untilGone(pid);
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'leaves not even a stubborn server behind when it dies of %s',
    async (signal) => {
      const host = run('host', fixture('stubborn'));
      const pid = await serverOf(host);
      host.kill(signal);
      expect(await once(host, 'exit')).toEqual([null, signal]);
      await untilGone(pid);
    },
  );

  it('leaves not even a stubborn server behind when it exits', async () => {
    const host = run('host', fixture('stubborn'), 'exit');
    const pid = await serverOf(host);
    await once(host, 'exit');
    await untilGone(pid);
  });
});
