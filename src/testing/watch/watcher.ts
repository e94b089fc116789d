/** Runs something again whenever files change. Changes during a run cause one more run after it. */

import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { type Duration, milliseconds } from '../../protocol/duration.js';

export interface WatchSettings {
  /** Files and directories. Default: the current directory. */
  readonly paths?: readonly string[] | undefined;
  /** Endings of the files that count. */
  readonly include?: readonly string[] | undefined;
  /** Names of files and directories that do not. */
  readonly exclude?: readonly string[] | undefined;
  /** How long to wait for further changes. Default: 300 ms. */
  readonly debounce?: Duration | undefined;
  /** Whether to run at once. Default: yes. */
  readonly runOnStart?: boolean | undefined;
}

export interface WatchHandlers<Result> {
  run(changed: readonly string[], signal: AbortSignal): Promise<Result>;
  onResults?(result: Result): void;
  onError?(error: unknown): void;
}

const DEFAULT_INCLUDE: readonly string[] = [
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.json',
  '.yaml',
  '.yml',
  '.py',
];
const DEFAULT_EXCLUDE: readonly string[] = ['node_modules', '.git', 'dist', '__snapshots__'];

/** Runs `run` when files change: `createWatcher({ run: () => runSuite(suite) }, { paths: ['src'] }).start()`. */
export function createWatcher<Result>(
  handlers: WatchHandlers<Result>,
  settings: WatchSettings = {},
): Watcher<Result> {
  return new Watcher(handlers, settings);
}

export class Watcher<Result> {
  readonly #handlers: WatchHandlers<Result>;
  readonly #settings: WatchSettings;
  readonly #debounceMs: number;
  readonly #watchers: FSWatcher[] = [];
  readonly #changed = new Set<string>();
  readonly #ending = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isDue = false;

  constructor(handlers: WatchHandlers<Result>, settings: WatchSettings = {}) {
    this.#handlers = handlers;
    this.#settings = settings;
    this.#debounceMs = milliseconds(settings.debounce ?? 300);
  }

  start(): void {
    const { paths = ['.'], runOnStart = true } = this.#settings;
    for (const path of paths) this.#watchPath(resolve(path));
    if (runOnStart) this.forceRun();
  }

  /** Runs now, or as soon as the run under way is over. */
  forceRun(): void {
    this.#isDue = true;
    if (this.#running !== undefined) return;
    // In a microtask: what the run itself asks for has to find that a run is under way.
    const started = Promise.resolve().then(() => this.#runUntilQuiet());
    this.#running = started.finally(() => {
      this.#running = undefined;
    });
  }

  /** Ends the run under way too, and waits for it. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.splice(0)) watcher.close();
    this.#ending.abort();
    await this.#running;
  }

  /** A file has changed, whoever noticed. */
  noteChange(file: string): void {
    if (this.#ending.signal.aborted || !this.#counts(file)) return;
    this.#changed.add(file);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.forceRun(), this.#debounceMs);
  }

  async #runUntilQuiet(): Promise<void> {
    while (this.#isDue && !this.#ending.signal.aborted) {
      this.#isDue = false;
      const changed = [...this.#changed];
      this.#changed.clear();
      try {
        this.#handlers.onResults?.(await this.#handlers.run(changed, this.#ending.signal));
      } catch (error) {
        this.#handlers.onError?.(error);
      }
    }
  }

  #watchPath(path: string): void {
    const isDirectory = statSync(path).isDirectory();
    // A file that editors replace is another file: its directory notices.
    const directory = isDirectory ? path : dirname(path);
    const only = isDirectory ? undefined : basename(path);
    const watcher = watch(directory, { recursive: isDirectory }, (_event, name) => {
      if (name === null || (only !== undefined && name !== only)) return;
      this.noteChange(join(directory, name));
    });
    watcher.on('error', (error) => this.#handlers.onError?.(error));
    this.#watchers.push(watcher);
  }

  #counts(file: string): boolean {
    const { include = DEFAULT_INCLUDE, exclude = DEFAULT_EXCLUDE } = this.#settings;
    const parts = relative(process.cwd(), resolve(file)).split(sep);
    if (parts.some((part) => exclude.includes(part))) return false;
    // What is written beside a TypeScript suite while it is loaded.
    if (parts.at(-1)?.startsWith('.') === true) return false;
    return include.some((ending) => file.endsWith(ending));
  }
}
