import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openFileStore } from '../../../src/auth/client/node-file-store.js';
import {
  type Keychain,
  type KeychainSystem,
  systemKeychain,
} from '../../../src/auth/client/node-keychain.js';

const folder = mkdtempSync(join(tmpdir(), 'plumb-keychain-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Run = KeychainSystem['run'];

function system(
  platform: NodeJS.Platform,
  run: Run,
  environment: Record<string, string> = {},
): KeychainSystem {
  const exists = (path: string): boolean =>
    /secret-tool$|security$/.test(path) || path === join(folder, 'credentials.key');
  return { platform, environment: { PATH: '/usr/bin', ...environment }, folder, exists, run };
}

const BUS = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus' };

it.each<[NodeJS.Platform, Record<string, string>, string, string]>([
  ['darwin', {}, '/usr/bin/security', 'find-generic-password -s plumb-mcp -a credentials -w'],
  ['linux', BUS, 'secret-tool', 'lookup service plumb-mcp account credentials'],
])(
  'keeps the secret in the keychain of %s, and out of every command line',
  async (platform, environment, program, lookup) => {
    const lines: string[] = [];
    let stored = '';
    const keychain = systemKeychain(
      system(
        platform,
        async (called, args, input) => {
          lines.push(`${called} ${args.join(' ')}`);
          if (input !== '') stored = /(\S+)\s*$/.exec(input)?.[1] ?? '';
          if (input === '' && stored === '') return { code: platform === 'darwin' ? 44 : 1, stdout: '' };
          return { code: 0, stdout: input === '' ? `${stored}\n` : '' };
        },
        environment,
      ),
    );
    expect(await keychain?.get()).toBeUndefined();
    await keychain?.set('c2VjcmV0');
    expect(await keychain?.get()).toBe('c2VjcmV0');
    expect(lines[0]).toBe(`${program} ${lookup}`);
    expect(lines.join('\n')).not.toContain('c2VjcmV0');
  },
);

it('lets Windows encrypt the secret for its user', async () => {
  const keychain = systemKeychain(
    system('win32', async (program, args, input) => {
      expect(program).toMatch(/^[A-Z]:.*\\powershell\.exe$/);
      return { code: 0, stdout: args.join(' ').includes('::Protect(') ? `x${input}` : input.slice(1) };
    }),
  );
  await keychain?.set('c2VjcmV0');
  expect(readFileSync(join(folder, 'credentials.key'), 'utf8')).toBe('xc2VjcmV0');
  expect(await keychain?.get()).toBe('c2VjcmV0');
});

it('uses none without a session bus, and none when it is turned off', () => {
  const run: Run = async () => ({ code: 0, stdout: '' });
  expect(systemKeychain(system('linux', run))).toBeUndefined();
  expect(systemKeychain(system('darwin', run, { PLUMB_KEYCHAIN: 'off' }))).toBeUndefined();
});

it('encrypts the file of credentials, reads one from before, and refuses one without its key', async () => {
  const path = join(folder, 'credentials.json');
  writeFileSync(path, JSON.stringify({ old: { token: 'plain' } }));
  let secret: string | undefined;
  const keychain: Keychain = {
    get: async () => secret,
    set: async (given) => {
      secret = given;
    },
  };
  const store = openFileStore(path, keychain);
  expect(await store.get('old')).toEqual({ token: 'plain' });
  await store.set('new', { token: 'hidden' });
  expect(readFileSync(path, 'utf8')).not.toMatch(/plain|hidden|old|new/);
  expect(await openFileStore(path, keychain).get('new')).toEqual({ token: 'hidden' });
  expect(await store.get('old')).toEqual({ token: 'plain' });
  secret = undefined;
  await expect(async () => openFileStore(path, keychain).get('new')).rejects.toThrow('log in again');
});
