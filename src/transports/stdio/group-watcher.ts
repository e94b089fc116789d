/**
 * Ends process groups when our own process is gone and could not do it: killed outright, or by a signal that it does not
 * handle. A shell of about 2 MB reads from a pipe which groups there are; the pipe closes with our process, however that
 * ends, and then the shell ends what is left of them. It carries no traffic of the children, does not keep our process
 * alive, and runs only while there are groups.
 *
 * Windows has neither groups nor a shell for this: there a child that ignores the end of its input stays. A process that
 * made a session of its own (setsid) has left the group on purpose, and stays too.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

const SHELL = '/bin/sh';

/**
 * Reads `+ GROUP` and `- GROUP` until the pipe closes. Then each group has half a second to leave by itself, because the
 * end of its input has come, two more after SIGTERM, and SIGKILL. Most groups are gone at the first look.
 */
const SCRIPT = `
live=' '
while read -r change group; do
  case "$change$live" in
    +*) live="$live$group " ;;
    -*" $group "*) live="\${live%% $group *} \${live#* $group }" ;;
  esac
done
signal() {
  for group in $live; do kill -s "$1" -- "-$group"; done
}
leave() {
  looks=$1
  while :; do
    left=' '
    for group in $live; do kill -s 0 -- "-$group" && left="$left$group "; done
    live=$left
    [ "$live" = ' ' ] && exit
    [ "$looks" -gt 0 ] || return
    looks=$((looks - 1))
    sleep 0.1 || sleep 1
  done
}
leave 5
signal TERM
leave 20
signal KILL
`;

export interface GroupWatcherOptions {
  readonly platform?: NodeJS.Platform;
  readonly shell?: string;
}

export class GroupWatcher {
  readonly #groups = new Set<number>();
  readonly #shell: string | undefined;
  #process: ChildProcess | undefined;

  constructor({ platform = process.platform, shell = SHELL }: GroupWatcherOptions = {}) {
    this.#shell = platform === 'win32' ? undefined : shell;
  }

  /** The process id of the shell, while it runs. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Called before a child is started, so that no time passes between its start and `add`. */
  prepare(): void {
    if (this.#process !== undefined || this.#shell === undefined) return;
    const started = spawn(this.#shell, ['-c', SCRIPT, 'plumb-group-watcher'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // Signals from the terminal, and to our own group, must not reach it.
      detached: true,
      cwd: '/',
      env: { PATH: `${process.env.PATH ?? ''}:/usr/bin:/bin` },
    });
    this.#process = started;
    const forget = (): void => {
      if (this.#process === started) this.#process = undefined;
    };
    // Where there is no shell, children are ended as before: by us, as long as we can.
    started.once('error', forget);
    started.once('exit', forget);
    started.stdin?.on('error', forget);
    started.unref();
    if (started.stdin instanceof Socket) started.stdin.unref();
    for (const group of this.#groups) this.#send('+', group);
  }

  add(group: number): void {
    this.prepare();
    this.#groups.add(group);
    this.#send('+', group);
  }

  remove(group: number): void {
    this.#groups.delete(group);
    this.#send('-', group);
    this.standDown();
  }

  /** Ends the shell if there is nothing to watch. */
  standDown(): void {
    if (this.#groups.size > 0) return;
    this.#process?.stdin?.end();
    this.#process = undefined;
  }

  #send(change: '+' | '-', group: number): void {
    this.#process?.stdin?.write(`${change} ${group}\n`);
  }
}
