/** A server that dies under a command. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { freePort } from '../../support/free-port.js';
import { plumb } from './plumb.js';

const UNSTEADY = fileURLToPath(new URL('../../fixtures/stdio/unsteady.mjs', import.meta.url));
const HANGING = fileURLToPath(new URL('./fixtures/hanging-http-server.mjs', import.meta.url));
const directories: string[] = [];
const servers: ChildProcess[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.kill('SIGKILL');
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function mark(): string {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-'));
  directories.push(directory);
  return `once=${join(directory, 'died')}`;
}

/** Resolves when the process has written these words. */
function said({ stdout }: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve) => {
    let text = '';
    stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes(words)) resolve();
    });
  });
}

it('plumb call recovers by itself when the server is killed with -9 under a read-only tool', async () => {
  const ended = await plumb(['call', 'die', mark(), '--', process.execPath, UNSTEADY]);
  expect(ended.stderr).toMatch(/^plumb: The server process .* ended by signal SIGKILL; connected again\n$/);
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\n$/) });
});

it('plumb call recovers by itself when a server behind a URL is killed with -9 and started again', async () => {
  const port = await freePort();
  const serve = async (...args: string[]): Promise<ChildProcess> => {
    const server = spawn(process.execPath, [HANGING, String(port), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    servers.push(server);
    await said(server, 'listening');
    return server;
  };
  const first = await serve();
  const called = said(first, 'called');
  const ended = plumb(['call', `http://127.0.0.1:${port}/mcp`, 'look']);
  await called;
  first.kill('SIGKILL');
  await once(first, 'exit');
  await serve('second');
  expect(await ended).toMatchObject({ code: 0, stdout: 'second\n' });
}, 60_000);

it('plumb call does so for any tool with --retry', async () => {
  const args = JSON.stringify({ once: mark().slice('once='.length) });
  const ended = await plumb(['call', 'spoil', '--retry', '--args', args, '--', process.execPath, UNSTEADY]);
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\n$/) });
});

it('plumb call says what happened when the tool may not be called twice', async () => {
  const args = JSON.stringify({ once: mark().slice('once='.length) });
  const ended = await plumb(['call', 'spoil', '--args', args, '--', process.execPath, UNSTEADY]);
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'plumb: The server ended by signal SIGKILL during tools/call; its last stderr lines:\n  Out of memory\n',
  });
});
