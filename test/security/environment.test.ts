/** A server from a configuration file is somebody else's code: it must not see the credentials in our environment. */

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SERVER = fileURLToPath(new URL('./fixtures/clinging-server.mjs', import.meta.url));
const directories: string[] = [];

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

const VERBS: readonly (readonly string[])[] = [
  ['list'],
  ['call', 'quick'],
  ['doctor'],
  // The server leaves much unanswered.
  ['validate', '--only', '1', '--revision', '2025-11-25', '--timeout', '1'],
];

/** The names of the variables that the server got, in any of its processes. */
async function seen(words: (server: readonly string[], directory: string) => readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-environment-'));
  directories.push(directory);
  const server = [process.execPath, SERVER, directory, 'polite'];
  const secrets = { AWS_SECRET_ACCESS_KEY: 'x', PLUMB_CLIENT_SECRET: 'x' };
  await new Promise<void>((resolve) => {
    const env = { ...process.env, ...secrets };
    execFile(process.execPath, [MAIN, ...words(server, directory)], { env }, () => resolve());
  });
  const events = readFileSync(join(directory, 'events'), 'utf8').split('\n');
  const names = events
    .filter((event) => event.startsWith('environment '))
    .flatMap((event) => event.split(' '));
  expect(names).toContain('PATH');
  return names;
}

describe.concurrent('the environment of a server', () => {
  for (const [verb = '', ...rest] of VERBS) {
    it(`has no credentials of ours where plumb ${verb} takes it from a file`, {
      timeout: 60_000,
    }, async () => {
      const names = await seen(([command, ...args], directory) => {
        const file = join(directory, 'mcp.json');
        writeFileSync(
          file,
          JSON.stringify({ mcpServers: { named: { command, args, env: { GIVEN: '1' } } } }),
        );
        return [verb, 'named', ...rest, '--config', file];
      });
      expect(names).toContain('GIVEN');
      expect(names).not.toContain('AWS_SECRET_ACCESS_KEY');
      expect(names).not.toContain('PLUMB_CLIENT_SECRET');
    });

    it(`is that of the shell but for our own where plumb ${verb} is given the command`, {
      timeout: 60_000,
    }, async () => {
      const names = await seen((server) => [verb, ...rest, '--', ...server]);
      expect(names).toContain('AWS_SECRET_ACCESS_KEY');
      expect(names).not.toContain('PLUMB_CLIENT_SECRET');
    });
  }
});
