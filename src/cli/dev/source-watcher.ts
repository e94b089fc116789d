/** Reports when source files below some folders change. Each folder is watched by itself, except those left out. */

import { type Dirent, type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { basename, dirname, extname, join, relative, sep } from 'node:path';

export interface SourceWatcherOptions {
  /** Folders, with what is below them, and files. */
  readonly roots: readonly string[];
  readonly changed: (paths: readonly string[]) => void;
  /** Folders that cannot be watched, and the limit. */
  readonly failed: (message: string) => void;
}

/** Editors and formatters write a file in several steps. */
const SETTLE_MS = 80;
const MAX_FOLDERS = 2_000;
const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', 'coverage', '__pycache__', 'target', 'venv']);
/** Not data: a server that writes JSON files or databases would restart itself. */
const SOURCES: ReadonlySet<string> = new Set(
  '.ts .mts .cts .tsx .js .mjs .cjs .jsx .py .rb .go .rs .java .kt .cs .php .swift .sh .lua .ex .exs'.split(
    ' ',
  ),
);
const FILES: ReadonlySet<string> = new Set(['.env', 'package.json', 'tsconfig.json', 'pyproject.toml']);

export class SourceWatcher {
  readonly #options: SourceWatcherOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  /** Files that were named: reported whatever their extension is. */
  readonly #named = new Set<string>();
  readonly #pending = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(options: SourceWatcherOptions) {
    this.#options = options;
    for (const root of options.roots) {
      if (statSync(root).isDirectory()) this.#add(root, true);
      else {
        this.#named.add(root);
        this.#add(dirname(root), false);
      }
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #add(folder: string, below: boolean): void {
    if (this.#closed || this.#watchers.has(folder)) return;
    if (this.#watchers.size === MAX_FOLDERS) {
      this.#options.failed(`only ${MAX_FOLDERS} folders are watched; name the ones that matter with --watch`);
      return;
    }
    if (this.#watchers.size > MAX_FOLDERS) return;
    try {
      const watcher = watch(folder, (_event, name) => this.#happened(folder, name, below));
      watcher.on('error', () => this.#drop(folder));
      this.#watchers.set(folder, watcher);
    } catch (error) {
      this.#options.failed(`${folder} is not watched (${error instanceof Error ? error.message : error})`);
      return;
    }
    if (!below) return;
    for (const entry of entriesOf(folder)) {
      if (entry.isDirectory() && !isLeftOut(entry.name)) this.#add(join(folder, entry.name), true);
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #happened(folder: string, name: string | null, below: boolean): void {
    if (this.#closed || name === null) return;
    const path = join(folder, name);
    if (below && !isLeftOut(name) && isFolder(path)) {
      // What was written before the watch began.
      this.#add(path, true);
      for (const entry of entriesOf(path)) if (isSource(entry.name)) this.#note(join(path, entry.name));
      return;
    }
    if (this.#named.has(path) || (below && isSource(name))) this.#note(path);
  }

  #note(path: string): void {
    this.#pending.add(path);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const paths = [...this.#pending];
      this.#pending.clear();
      this.#options.changed(paths);
    }, SETTLE_MS);
  }
}

/** For people: from the current folder where that is shorter. */
export function shownPath(path: string, directory: string): string {
  const short = relative(directory, path);
  return short === '' || short.startsWith(`..${sep}`) ? path : short;
}

function isSource(name: string): boolean {
  return FILES.has(basename(name)) || (SOURCES.has(extname(name)) && !name.startsWith('.'));
}

function isLeftOut(name: string): boolean {
  return name.startsWith('.') || LEFT_OUT.has(name);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
