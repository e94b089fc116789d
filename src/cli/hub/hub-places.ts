/**
 * Where the hub of this user listens, and where its files are. Clients start `plumb connect` with an environment of their
 * own making, so this must not depend on more of it than the home folder: all of them have to find the same hub.
 * `plumb connect` loads this file, so it imports next to nothing.
 */

import { homedir, tmpdir, userInfo } from 'node:os';
import { posix, win32 } from 'node:path';

export interface HubPlaces {
  /** Readable by its owner alone. */
  readonly folder: string;
  /** A socket in the folder, or a named pipe on Windows. */
  readonly socket: string;
  readonly lock: string;
  readonly config: string;
  readonly log: string;
}

export interface HubSystem {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly temporary: string;
  readonly user: string;
}

/** The least that any system allows for the path of a socket, less its closing zero. */
const MAX_SOCKET_PATH = 103;

export function currentHubPlaces(): HubPlaces {
  const { platform, env } = process;
  // Looked up only where a name depends on it.
  const user = platform === 'win32' ? userInfo().username : String(process.getuid?.() ?? '');
  return hubPlaces({ platform, environment: env, home: homedir(), temporary: tmpdir(), user });
}

export function hubPlaces({ platform, environment, home, temporary, user }: HubSystem): HubPlaces {
  const isWindows = platform === 'win32';
  const { join } = isWindows ? win32 : posix;
  const settings = isWindows
    ? (environment.APPDATA ?? join(home, 'AppData', 'Roaming'))
    : join(home, '.config');
  const folder = environment.PLUMB_HUB || join(settings, 'plumb');
  const file = (name: string): string => join(folder, name);
  return {
    folder,
    socket: isWindows ? pipeName(user, folder) : socketPath(file('hub.sock'), temporary, user),
    lock: file('hub.lock'),
    config: file('hub.json'),
    log: file('hub.log'),
  };
}

/** Pipes have one name space for all users of the machine. */
function pipeName(user: string, folder: string): string {
  return `\\\\.\\pipe\\plumb-hub-${digest(`${user} ${folder.toLowerCase()}`)}`;
}

function socketPath(path: string, temporary: string, user: string): string {
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return path;
  return posix.join(temporary, `plumb-${user}-${digest(path)}`, 'hub.sock');
}

/** FNV-1a, 64 bits: enough to distinguish folders, and loads faster than a cryptographic hash. */
function digest(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash.toString(16).padStart(16, '0');
}
