/**
 * Credentials in one file: readable by its owner only, written whole to a new file that then takes its place, and
 * changed under a lock that other processes respect. A process that died with the lock does not keep it for ever.
 */

import { chmod, mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { replaceFile } from '../../transports/stdio/replace-file.js';
import { AuthError } from './errors.js';
import { currentKeychainSystem, type Keychain, systemKeychain } from './node-keychain.js';
import { createFileSeal, type FileSeal } from './node-sealed-file.js';
import { createMemoryTokenStore, type TokenStore } from './token-store.js';

const OWNER_ONLY = 0o600;
const OWNER_ONLY_FOLDER = 0o700;
const RETRY_MS = 25;
/** The holder of a lock touches it; a lock that was not touched for this long is stale. */
const STALE_MS = 15_000;
const TOUCH_MS = 3_000;
const GIVE_UP_MS = 60_000;

/** A file that the user names is plain; the usual one is encrypted where the system has a keychain. */
export function openFileStore(
  given?: string,
  keychain: Keychain | undefined = given === undefined ? usualKeychain() : undefined,
): TokenStore {
  const path = given ?? defaultPath();
  const seal = createFileSeal(keychain);
  // Within the process the queue of the memory store is fairer than the file, and spares it.
  const queue = createMemoryTokenStore();
  return {
    get: async (key) => {
      const value = (await opened(path, seal))[key];
      return isRecord(value) ? value : undefined;
    },
    set: (key, value) =>
      queue.lock('write', () =>
        withFileLock(`${path}.lock`, async () => {
          const content = { ...(await opened(path, seal)), [key]: value };
          await write(path, await sealed(path, seal, content));
        }),
      ),
    lock: (key, work) =>
      queue.lock(key, async () => withFileLock(`${path}.${await shortName(key)}.lock`, work)),
  };
}

function usualKeychain(): Keychain | undefined {
  if (process.env.PLUMB_CREDENTIALS) return undefined;
  return systemKeychain(currentKeychainSystem(dirname(defaultPath())));
}

async function opened(path: string, seal: FileSeal): Promise<JsonObject> {
  const content = await read(path);
  try {
    return await seal.open(content);
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function sealed(path: string, seal: FileSeal, content: JsonObject): Promise<JsonObject> {
  try {
    return await seal.seal(content);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): AuthError {
  const reason = error instanceof Error ? error.message : String(error);
  return new AuthError('token_store_failed', `${path} cannot be used: ${reason}`, { cause: error });
}

function defaultPath(): string {
  const { PLUMB_CREDENTIALS, XDG_CONFIG_HOME, APPDATA } = process.env;
  if (PLUMB_CREDENTIALS) return PLUMB_CREDENTIALS;
  const folder =
    process.platform === 'win32' && APPDATA ? APPDATA : XDG_CONFIG_HOME || join(homedir(), '.config');
  return join(folder, 'plumb', 'credentials.json');
}

async function read(path: string): Promise<JsonObject> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return {};
    throw failure(path, 'cannot be read', error);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // The error of the parser would quote the content.
  }
  throw new AuthError('token_store_failed', `${path} is damaged; delete it and log in again`);
}

async function write(path: string, content: JsonObject): Promise<void> {
  const temporary = `${path}.${process.pid}.${crypto.randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER });
    const file = await open(temporary, 'wx', OWNER_ONLY);
    try {
      await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // The mode given to `open` is subject to the umask, which may only take away; still, be exact.
    await chmod(temporary, OWNER_ONLY);
    await replaceFile(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw failure(path, 'cannot be written', error);
  }
}

async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER });
  const release = await acquire(path);
  try {
    return await work();
  } finally {
    await release();
  }
}

async function acquire(path: string): Promise<() => Promise<void>> {
  const owner = `${process.pid} ${crypto.randomUUID()}`;
  const deadline = Date.now() + GIVE_UP_MS;
  while (!(await create(path, owner))) {
    if (Date.now() > deadline) {
      throw new AuthError(
        'token_store_failed',
        `Another process holds ${path}; end it, or delete the file if there is none`,
      );
    }
    await breakStale(path);
    await sleep(RETRY_MS + Math.random() * RETRY_MS);
  }
  const touch = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, TOUCH_MS);
  touch.unref();
  return async () => {
    clearInterval(touch);
    // Only our own: if we were taken for dead, the lock is someone else's now.
    if ((await readFile(path, 'utf8').catch(() => '')) === owner) await rm(path, { force: true });
  };
}

async function create(path: string, owner: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', OWNER_ONLY);
    await file.writeFile(owner);
    await file.close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw failure(path, 'cannot be created', error);
  }
}

/** Moves the stale lock aside before it is deleted, so that of two who find it only one takes it away. */
async function breakStale(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || Date.now() - found.mtimeMs < STALE_MS) return;
  const aside = `${path}.${crypto.randomUUID()}.stale`;
  try {
    await rename(path, aside);
    const moved = await stat(aside);
    // Someone was quicker, and what we moved is already the next owner's: put it back.
    if (moved.ino !== found.ino) await rename(aside, path);
    else await rm(aside, { force: true });
  } catch {
    // Gone in the meantime: the next attempt to create it decides.
  }
}

async function shortName(key: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key)));
  return Buffer.from(digest).toString('hex').slice(0, 16);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function failure(path: string, what: string, cause: unknown): AuthError {
  const detail = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return new AuthError(
    'token_store_failed',
    `${path} ${what}${detail}; check the permissions of the folder`,
    { cause },
  );
}
