/**
 * The keychain of the system, for one secret: the key that the file of credentials is encrypted with. Only programs of the
 * system are used, and the secret never is an argument of theirs, which other users could read.
 */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { systemProgram } from '../../transports/stdio/windows-program.js';

export interface Keychain {
  /** Undefined where there is none yet. Rejects when the keychain does not answer, or is locked. */
  get(): Promise<string | undefined>;
  set(secret: string): Promise<void>;
}

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
}

export interface KeychainSystem {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of the credentials. */
  readonly folder: string;
  exists(path: string): boolean;
  run(program: string, args: readonly string[], input: string): Promise<ProgramResult>;
}

const SERVICE = 'plumb-mcp';
const ACCOUNT = 'credentials';
const SECURITY = '/usr/bin/security';
/** What `security` exits with where there is no such item. */
const NOT_FOUND = 44;
/** Longer than a person needs to unlock it. */
const LIMIT_MS = 60_000;

/** Undefined where the system has none that is in use. */
export function systemKeychain(system: KeychainSystem): Keychain | undefined {
  const { platform, environment } = system;
  if (environment.PLUMB_KEYCHAIN === 'off') return undefined;
  if (platform === 'darwin') return system.exists(SECURITY) ? macKeychain(system) : undefined;
  if (platform === 'win32') return windowsKeychain(system);
  const hasBus = Boolean(environment.DBUS_SESSION_BUS_ADDRESS);
  const found = (environment.PATH ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && system.exists(join(folder, 'secret-tool')));
  return hasBus && found ? secretService(system) : undefined;
}

export function currentKeychainSystem(folder: string): KeychainSystem {
  return {
    platform: process.platform,
    environment: process.env,
    folder,
    exists: existsSync,
    run: runProgram,
  };
}

function macKeychain({ run }: KeychainSystem): Keychain {
  const item = ['-s', SERVICE, '-a', ACCOUNT];
  return {
    get: async () => {
      const { code, stdout } = await run(SECURITY, ['find-generic-password', ...item, '-w'], '');
      if (code === NOT_FOUND) return undefined;
      return answered(code, stdout);
    },
    set: async (secret) => {
      // As a command on its input.
      const { code } = await run(
        SECURITY,
        ['-i'],
        `add-generic-password -U ${item.join(' ')} -w ${secret}\n`,
      );
      answered(code, secret);
    },
  };
}

function secretService({ run }: KeychainSystem): Keychain {
  const item = ['service', SERVICE, 'account', ACCOUNT];
  return {
    get: async () => {
      const { code, stdout } = await run('secret-tool', ['lookup', ...item], '');
      // It exits with 1 for an item that is not there, and prints nothing.
      return code === 1 && stdout === '' ? undefined : answered(code, stdout);
    },
    set: async (secret) => {
      const { code } = await run('secret-tool', ['store', '--label=Plumb credentials', ...item], secret);
      answered(code, secret);
    },
  };
}

const powershell = (): string => systemProgram(['System32', 'WindowsPowerShell', 'v1.0'], 'powershell.exe');

/** Windows has no program that reads its keychain: the secret is in a file that it encrypts for this user. */
function windowsKeychain({ folder, exists, run }: KeychainSystem): Keychain {
  const file = join(folder, 'credentials.key');
  const script = (verb: 'Protect' | 'Unprotect'): string =>
    'Add-Type -AssemblyName System.Security; ' +
    '$in = [Convert]::FromBase64String([Console]::In.ReadToEnd().Trim()); ' +
    `$out = [Security.Cryptography.ProtectedData]::${verb}($in, $null, 'CurrentUser'); ` +
    '[Console]::Out.Write([Convert]::ToBase64String($out))';
  const shell = async (verb: 'Protect' | 'Unprotect', input: string): Promise<string> => {
    const words = ['-NoProfile', '-NonInteractive', '-Command', script(verb)];
    const { code, stdout } = await run(powershell(), words, input);
    return answered(code, stdout);
  };
  return {
    get: async () => (exists(file) ? shell('Unprotect', readFileSync(file, 'utf8')) : undefined),
    set: async (secret) => writeFileSync(file, await shell('Protect', secret), { mode: 0o600 }),
  };
}

function answered(code: number | null, stdout: string): string {
  const secret = stdout.trim();
  if (code === 0 && secret !== '') return secret;
  throw new Error(
    `the keychain of the system did not answer (exit code ${code}); unlock it, or set PLUMB_KEYCHAIN=off`,
  );
}

function runProgram(program: string, args: readonly string[], input: string): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: LIMIT_MS,
      windowsHide: true,
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
