/** Strangers in front of `plumb proxy --http`, which starts a process of the server for each session that uses it. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { descendantsOf, leftOf } from '../support/process-tree.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SERVER = fileURLToPath(new URL('./fixtures/clinging-server.mjs', import.meta.url));
class AttackedProxy {
  readonly pid: number;
  readonly url: string;
  readonly #directory: string;

  private constructor(pid: number, url: string, directory: string) {
    this.pid = pid;
    this.url = url;
    this.#directory = directory;
  }

  static start(...flags: string[]): Promise<AttackedProxy> {
    return AttackedProxy.before((directory) => [process.execPath, SERVER, directory, 'polite'], flags);
  }

  static async before(
    command: (directory: string) => readonly string[],
    flags: readonly string[] = [],
  ): Promise<AttackedProxy> {
    const directory = mkdtempSync(join(tmpdir(), 'plumb-processes-'));
    const server = command(directory);
    const child = spawn(process.execPath, [MAIN, 'proxy', '--http', '0', ...flags, '--', ...server], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    cleanup(async () => {
      child.kill('SIGKILL');
      await ended;
      await expect.poll(() => leftOf([], directory)).toEqual([]);
      rmSync(directory, { recursive: true });
    });
    const url = await new Promise<string>((resolve) => {
      let text = '';
      child.stderr.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const [, found] = /listens at (\S+)\. /.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    return new AttackedProxy(child.pid ?? 0, url, directory);
  }

  /** How often the server has been started so far. */
  get started(): number {
    return this.events.filter((event) => event.startsWith('started')).length;
  }

  get events(): string[] {
    return readFileSync(join(this.#directory, 'events'), 'utf8').split('\n');
  }

  /** Processes of the server that run now. */
  get running(): number {
    return descendantsOf(this.pid).filter(({ command }) => command.includes(this.#directory)).length;
  }

  async open(): Promise<string> {
    const { headers, body } = await this.introduce();
    expect(body).toMatchObject({ result: { serverInfo: expect.anything() } });
    return headers.get('mcp-session-id') ?? '';
  }

  introduce(): ReturnType<AttackedProxy['post']> {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    return this.post({ id: 1, method: 'initialize', params });
  }

  call(session: string, name: string): ReturnType<AttackedProxy['post']> {
    return this.post({ id: 2, method: 'tools/call', params: { name, arguments: {} } }, session);
  }

  async end(session: string): Promise<void> {
    await fetch(this.url, { method: 'DELETE', headers: { 'mcp-session-id': session } });
  }

  async post(
    message: object,
    session?: string,
  ): Promise<{ status: number; headers: Headers; body: unknown }> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }
}

const DONE = { result: { content: [{ text: 'done' }] } };

function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, work));
}

describe.runIf(process.platform === 'linux')('plumb proxy --http', () => {
  it('starts one process for 120 strangers who say hello at once, and serves who comes to call', async () => {
    const proxy = await AttackedProxy.start();
    await times(120, () => proxy.open());
    expect(proxy.started).toBe(1);
    expect((await proxy.call(await proxy.open(), 'quick')).body).toMatchObject(DONE);
    expect(proxy.started).toBe(2);
  }, 60_000);

  it('runs no more processes than allowed, lets callers wait, and refuses those beyond with the reason', async () => {
    const proxy = await AttackedProxy.start('--max-processes', '2');
    const sessions = await times(70, () => proxy.open());
    const refused: { readonly status: number; readonly body: unknown }[] = [];
    for (const session of sessions) {
      proxy.call(session, 'hang').then(
        ({ status, body }) => refused.push({ status, body }),
        // The proxy is killed at the end.
        () => undefined,
      );
    }
    await expect.poll(() => proxy.events.filter((event) => event === 'hangs tools/call').length).toBe(2);
    // Two run and 64 wait.
    await expect.poll(() => refused.length).toBe(4);
    const reason = expect.stringMatching(/all 2 of its processes are in use.*--max-processes/);
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 503, body: { error: { message: reason } } });
    expect(proxy.running).toBe(2);
  }, 60_000);

  it('does not start a broken command again for everybody who comes', async () => {
    const broken = (directory: string) => ['/bin/sh', '-c', `echo started >> '${directory}/events'; exit 1`];
    const proxy = await AttackedProxy.before(broken);
    const since = performance.now();
    for (let visits = 0; visits < 30; visits += 1) {
      const { body } = await proxy.introduce();
      expect(body).toMatchObject({ error: { message: expect.stringContaining('is not available') } });
    }
    // One attempt a second at most, and later fewer; each asks for the revision first and then starts afresh.
    const attempts = 1 + Math.ceil((performance.now() - since) / 1_000);
    expect(proxy.started).toBeLessThanOrEqual(attempts * 2);
  }, 60_000);

  it('gives the process of a session that ended to the next one', async () => {
    const proxy = await AttackedProxy.start('--max-processes', '1');
    const [one, other] = [await proxy.open(), await proxy.open()];
    expect((await proxy.call(one, 'quick')).body).toMatchObject(DONE);
    const waiting = proxy.call(other, 'quick');
    await proxy.end(one);
    expect((await waiting).body).toMatchObject(DONE);
  }, 60_000);

  it('leaves no process behind after 200 sessions have come and gone', async () => {
    const proxy = await AttackedProxy.start();
    for (let round = 0; round < 20; round += 1) {
      await times(10, async () => {
        const session = await proxy.open();
        expect((await proxy.call(session, 'quick')).body).toMatchObject(DONE);
        await proxy.end(session);
      });
    }
    await expect.poll(() => descendantsOf(proxy.pid)).toEqual([]);
  }, 120_000);
});
