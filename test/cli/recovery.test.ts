/** A server that dies under a command. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { plumb } from './plumb.js';

const UNSTEADY = fileURLToPath(new URL('../fixtures/stdio/unsteady.mjs', import.meta.url));
const directories: string[] = [];

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function mark(): string {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-'));
  directories.push(directory);
  return `once=${join(directory, 'died')}`;
}

it('plumb call recovers by itself when the server is killed with -9 under a read-only tool', async () => {
  const ended = await plumb(['call', 'die', mark(), '--', process.execPath, UNSTEADY]);
  expect(ended.stderr).toMatch(/^plumb: The server process .* ended by signal SIGKILL; connected again\n$/);
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\n$/) });
});

it('plumb call does so for any tool with --retry', async () => {
  const args = JSON.stringify({ once: mark().slice('once='.length) });
  const ended = await plumb(['call', 'die', '--retry', '--args', args, '--', process.execPath, UNSTEADY]);
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\n$/) });
});

it('plumb call says what happened when the tool may not be called twice', async () => {
  const args = JSON.stringify({ once: mark().slice('once='.length) });
  const ended = await plumb(['call', 'die', '--args', args, '--', process.execPath, UNSTEADY]);
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: 'plumb: The server ended by signal SIGKILL during tools/call; its last words:\n  Out of memory\n',
  });
});
