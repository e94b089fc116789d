/** Configuration files on disk: read as they are, backed up, and replaced whole. */

import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { replaceFileSync } from '../../transports/stdio/replace-file.js';
import { CommandFailure, EXIT_FAILED, UsageError } from '../failure/failure.js';
import { type ClientPlaces, configFolder, settingsFolder } from './places.js';

const OWNER_ONLY = 0o600;
const OWNER_ONLY_FOLDER = 0o700;
const BACKUPS_PER_FILE = 10;

export interface ConfigChange {
  readonly path: string;
  /** Undefined: the file does not exist. */
  readonly before: string | undefined;
  /** Undefined: the file goes. */
  readonly after: string | undefined;
  /** A file that is created may be read by its owner only. */
  readonly isPrivate: boolean;
}

export class ConfigStore {
  readonly #backups: string;

  constructor(places: ClientPlaces) {
    const settings = places.platform === 'win32' ? settingsFolder(places) : configFolder(places);
    this.#backups = join(settings, 'plumb', 'backups');
  }

  read(path: string): string | undefined {
    let bytes: Buffer;
    try {
      bytes = readFileSync(path);
    } catch (cause) {
      if (isMissing(cause)) return undefined;
      throw new UsageError(`Cannot read ${path}: ${reasonOf(cause)}; check its permissions`, { cause });
    }
    const text = bytes.toString('utf8');
    if (Buffer.from(text, 'utf8').equals(bytes)) return text;
    throw new UsageError(`${path} is not UTF-8 text, so it cannot be changed safely; save it as UTF-8`);
  }

  /** Versions of this file from before changes, the latest first. */
  earlier(path: string): string[] {
    return this.#backupsOf(path).map((name) => readFileSync(join(this.#backups, name), 'utf8'));
  }

  /** Returns the path of the backup, where there was something to keep. */
  apply({ path, before, after, isPrivate }: ConfigChange): string | undefined {
    if (this.read(path) !== before) {
      throw new CommandFailure(
        EXIT_FAILED,
        `${path} was changed by another program meanwhile; run the command again`,
      );
    }
    // A symbolic link stays one: the file that it names is replaced.
    const target = before === undefined ? path : realpathSync(path);
    const backup = before === undefined ? undefined : this.#keep(path, before);
    try {
      if (after === undefined) rmSync(target);
      else
        replaceFile(
          target,
          after,
          before === undefined ? (isPrivate ? OWNER_ONLY : undefined) : modeOf(target),
        );
    } catch (cause) {
      throw new CommandFailure(
        EXIT_FAILED,
        `Cannot write ${path}: ${reasonOf(cause)}; check its permissions`,
        { cause },
      );
    }
    return backup;
  }

  #keep(path: string, text: string): string {
    mkdirSync(this.#backups, { recursive: true, mode: OWNER_ONLY_FOLDER });
    const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
    const known = this.#backupsOf(path);
    // Two changes within a millisecond must not share a name.
    const number = String(known.filter((name) => name.includes(time)).length).padStart(2, '0');
    const backup = join(this.#backups, `${prefixOf(path)}${time}-${number}.bak`);
    writeFileSync(backup, text, { mode: OWNER_ONLY, flag: 'wx' });
    for (const old of known.slice(BACKUPS_PER_FILE - 1)) rmSync(join(this.#backups, old), { force: true });
    return backup;
  }

  #backupsOf(path: string): string[] {
    let names: string[];
    try {
      names = readdirSync(this.#backups);
    } catch {
      return [];
    }
    const prefix = prefixOf(path);
    return names
      .filter((name) => name.startsWith(prefix))
      .toSorted()
      .toReversed();
  }
}

/** Files of the same name in different folders must not share backups. */
function prefixOf(path: string): string {
  return `${basename(path)}.${createHash('sha256').update(path).digest('hex').slice(0, 12)}.`;
}

/** Readers see the old file or the new one, never a part of it. */
function replaceFile(path: string, text: string, mode: number | undefined): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    const file = openSync(temporary, 'wx', mode);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // The mask of the process must not take away what the old file allowed.
    if (mode !== undefined) chmodSync(temporary, mode);
    replaceFileSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
