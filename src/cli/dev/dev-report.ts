/** What the developer reads while the server restarts: changes of its surface, findings, and why it does not start. */

import type { Surface } from '../../chain/lock/surface.js';
import type { ServerEvent } from '../../chain/server-events.js';
import { ConnectionClosedError, messageOf } from '../../client/errors.js';
import type { StdioTarget } from '../../client/target.js';
import { printable, singleLine } from '../../protocol/display.js';
import type { LogLevel } from '../../protocol/model/logging.js';
import type { SurfaceChange } from '../../testing/contract/surface-change.js';
import type { LintFinding } from '../../testing/lint/lint.js';
import type { Terminal } from '../output/terminal.js';
import type { CrashReport } from './crash-report.js';
import type { DevEvent } from './dev-loop.js';
import { pagesOf, revalidate, type ValidatedPage } from './revalidation.js';
import { shownPath } from './source-watcher.js';

export interface DevReportOptions {
  readonly out: Pick<Terminal, 'style'>;
  readonly write: (line: string) => void;
  readonly directory: string;
  readonly target: StdioTarget;
  readonly validates: boolean;
  /** The same for the inspector. */
  readonly note: (level: LogLevel, text: string) => void;
  readonly describeCrash: (stderr: string) => CrashReport;
}

const LEVELS = { breaking: 'red', model: 'yellow', compatible: 'green' } as const;
const ALL_PAGES: readonly ValidatedPage[] = ['tools', 'resources', 'prompts'];
const MAX_PATHS = 3;
const MAX_LINES = 20;

export class DevReport {
  readonly #options: DevReportOptions;
  #validation: AbortController | undefined;
  /** Why the server could not be started, where its process did not get as far as saying it. */
  #cause: string | undefined;
  /** Changed since the last validation that came to its end. */
  readonly #unvalidated = new Set<ValidatedPage>();

  constructor(options: DevReportOptions) {
    this.#options = options;
  }

  close(): void {
    this.#validation?.abort();
  }

  event(event: DevEvent): void {
    this.#validation?.abort();
    if (event.type === 'restarting') {
      this.#cause = undefined;
      this.#write(`${this.#shown(event.paths)} changed, restarting`);
    } else if (event.type === 'failed') this.#failed(event.message, event.stderr);
    else this.#ready(event);
  }

  /** Only what the loop does not see: a command that cannot be started, a process that ended between two changes. */
  server(event: ServerEvent): void {
    if (event.type === 'start_failed' && !(event.error instanceof ConnectionClosedError))
      this.#cause = messageOf(event.error).split('; ')[0];
    if (event.type !== 'lost') return;
    this.#write(this.#options.out.style('red', 'the server ended'));
    this.#crash(event.stderr);
    this.#write('the next call starts it again');
  }

  #ready({ afterMs, surface, changes, findings }: Extract<DevEvent, { type: 'ready' }>): void {
    const { out } = this.#options;
    this.#write(`${out.style('green', 'ready')} in ${afterMs} ms: ${singleLine(contentsOf(surface))}`);
    if (changes?.length === 0) this.#write(out.style('dim', '  its surface did not change'));
    for (const change of changes ?? []) {
      this.#write(`  ${this.#change(change)}`);
      this.#options.note(change.level === 'breaking' ? 'warning' : 'info', textOf(change));
    }
    for (const finding of findings) this.#write(`  ${this.#finding(finding)}`);
    for (const page of changes === undefined ? ALL_PAGES : pagesOf(changes)) this.#unvalidated.add(page);
    this.#validate([...this.#unvalidated]);
  }

  #failed(message: string, stderr: string): void {
    const { out } = this.#options;
    this.#options.note('error', `the server does not start: ${this.describe(stderr)}`);
    this.#write(out.style('red', 'the server does not start'));
    if (!this.#crash(stderr)) {
      const lines = stderr.trimEnd().split('\n').slice(-MAX_LINES);
      for (const line of lines) if (line !== '') this.#write(`  ${printable(line)}`);
      this.#write(`  ${singleLine(this.#cause ?? message)}`);
    }
    this.#write('waiting for a change');
  }

  /** In one line, for clients. */
  describe(stderr: string): string {
    const { describeCrash, directory } = this.#options;
    const { message, place } = describeCrash(stderr);
    const where = place === undefined ? '' : ` at ${shownPath(place.path, directory)}:${place.line}`;
    return singleLine(`${message ?? this.#cause ?? 'it ended before it answered'}${where}`);
  }

  /** Whether there was anything to show. */
  #crash(stderr: string): boolean {
    const { describeCrash, directory, out } = this.#options;
    const { message, place } = describeCrash(stderr);
    if (message !== undefined) this.#write(`  ${out.style('red', singleLine(message))}`);
    if (place !== undefined) {
      this.#write(`  at ${shownPath(place.path, directory)}:${place.line}`);
      for (const line of place.excerpt) this.#write(`    ${printable(line)}`);
    }
    return message !== undefined || place !== undefined;
  }

  /** Beside the server that is used; a change ends it. */
  #validate(pages: readonly ValidatedPage[]): void {
    const { validates, target, out } = this.#options;
    if (!validates || pages.length === 0) return;
    const controller = new AbortController();
    this.#validation = controller;
    revalidate(target, pages, controller.signal).then(
      ({ passed, failures }) => {
        if (controller.signal.aborted) return;
        this.#unvalidated.clear();
        const subject = pages.join(', ');
        if (failures.length === 0)
          this.#write(out.style('dim', `validated ${subject}: ${passed} requirements pass`));
        for (const { requirement, message } of failures.slice(0, MAX_LINES)) {
          const { id, level, advice } = requirement;
          this.#options.note('warning', `validation ${level} ${id}: ${message}; ${advice}`);
          this.#write(
            `${out.style('red', `validation ${level} ${id}`)} ${singleLine(`${message}; ${advice}`)}`,
          );
        }
      },
      (error: unknown) => {
        if (!controller.signal.aborted) this.#write(`not validated: ${singleLine(messageOf(error))}`);
      },
    );
  }

  #change(change: SurfaceChange): string {
    const { level } = change;
    return `${this.#options.out.style(LEVELS[level], level)}  ${singleLine(textOf(change))}`;
  }

  #finding({ level, tool, provider, message }: LintFinding): string {
    const subject = [provider, tool].filter((word) => word !== undefined).join(': ');
    return `${this.#options.out.style(level === 'error' ? 'red' : 'yellow', `lint ${level}`)}  ${singleLine(`${subject}: ${message}`)}`;
  }

  #shown(paths: readonly string[]): string {
    const names = paths.slice(0, MAX_PATHS).map((path) => shownPath(path, this.#options.directory));
    return names.join(', ') + (paths.length > MAX_PATHS ? ` and ${paths.length - MAX_PATHS} more` : '');
  }

  #write(line: string): void {
    this.#options.write(`${this.#options.out.style('bold', 'dev:')} ${line}`);
  }
}

function textOf({ kind, name, what }: SurfaceChange): string {
  return `${name === '' ? kind : `${kind} ${name}`}: ${what}`;
}

function contentsOf({ server, lists }: Surface): string {
  const count = (entries: readonly unknown[] | undefined, name: string): string[] => {
    const size = entries?.length ?? 0;
    return size === 0 ? [] : [`${size} ${name}${size === 1 ? '' : 's'}`];
  };
  const contents = [
    ...count(lists.tools, 'tool'),
    ...count(lists.resources, 'resource'),
    ...count(lists.resourceTemplates, 'resource template'),
    ...count(lists.prompts, 'prompt'),
  ];
  const label = server === undefined ? 'the server' : `${server.name} ${server.version}`;
  return `${label}, ${contents.join(', ') || 'nothing listed'}`;
}
