/** One readable line for each event of the servers behind a chain; causes that repeat are counted. */

import { ConnectionClosedError, messageOf, StartTimeoutError } from '../client/errors.js';
import { singleLine } from '../protocol/display.js';
import { plainText } from '../protocol/plain-text.js';
import { maskLine } from '../protocol/secrets.js';
import { TransportError } from '../transports/errors.js';
import type { CloseReason } from '../transports/transport.js';
import { DriftError, describeDrift } from './lock/drift.js';
import type { ServerDrifted, ServerEvent, ServerStartFailed } from './server-events.js';
import { ServerUnavailableError } from './unavailable.js';

export interface ServerLogOptions {
  readonly write: (line: string) => void;
  /** Where to allow a server more time, for the line about one that needed it. */
  readonly raiseLimit?: string | undefined;
  /** Values that no line may show, such as credentials in the environment of a server. */
  readonly secrets?: (() => readonly string[]) | undefined;
}

const MAX_WORDS = 300;
const LINES_CONSIDERED = 40;

export class ServerLog {
  readonly #options: ServerLogOptions;
  /** The last cause of trouble of each server, and how often it was the same. */
  readonly #causes = new Map<string, { cause: string; count: number }>();

  constructor(options: ServerLogOptions) {
    this.#options = options;
  }

  event(event: ServerEvent): void {
    const line = this.#describe(event);
    if (line !== undefined) this.#write(line);
  }

  /** For errors that have nothing to do with one server. */
  error(error: unknown, method: string): void {
    // The server's own event has reported it.
    if (error instanceof ServerUnavailableError || error instanceof DriftError) return;
    this.#counted('', `${method}: ${oneLine(messageOf(error))}`, (line) => line);
  }

  #describe(event: ServerEvent): string | undefined {
    const { server } = event;
    switch (event.type) {
      case 'starting': {
        const time = `${seconds(event.afterMs)} of ${seconds(event.limitMs)}`;
        return `${server} is still starting, ${time}${quoted('stderr', event.stderr)}`;
      }
      case 'ready':
        this.#causes.delete(server);
        return `${server} is ready after ${seconds(event.afterMs)}`;
      case 'start_failed':
        return this.#startFailed(event);
      case 'lost':
        return `${server} ${howItEnded(event.reason)}${quoted('stderr', event.stderr)}; it is started again when needed`;
      case 'call_failed':
        // That it is lost was reported already.
        if (event.error instanceof ConnectionClosedError) return undefined;
        this.#counted(
          server,
          `${event.method} failed: ${oneLine(messageOf(event.error))}`,
          (line) => `${server}: ${line}`,
        );
        return undefined;
      case 'drifted':
        return drifted(event);
    }
  }

  #startFailed(event: ServerStartFailed): string {
    const { server, error, failures, limit, stderr } = event;
    const cause = this.#startCause(error);
    const words = quoted('stderr', stderr);
    const known = this.#causes.get(server)?.cause === cause + words;
    this.#causes.set(server, { cause: cause + words, count: failures });
    const attempt = limit === undefined ? `attempt ${failures}` : `attempt ${failures} of ${limit}`;
    const what = known ? 'failed to start for the same reason' : `${cause}${words}`;
    return `${server} ${what} (${attempt}); ${nextAttempt(event)}`;
  }

  #startCause(error: unknown): string {
    if (error instanceof StartTimeoutError) {
      const { raiseLimit } = this.#options;
      const advice = raiseLimit === undefined ? '' : `; raise ${raiseLimit} if it starts slowly`;
      return `did not answer within ${seconds(error.waitedMs)} and was ended${advice}`;
    }
    if (error instanceof ConnectionClosedError) return `${howItEnded(error.reason)} while it started`;
    if (error instanceof TransportError && error.code === 'spawn_failed')
      return `could not be started: ${oneLine(error.message)}`;
    return `could not be reached: ${oneLine(messageOf(error))}`;
  }

  /** The first, the tenth, the hundredth time. */
  #counted(source: string, cause: string, describe: (line: string) => string): void {
    const last = this.#causes.get(source);
    const count = last?.cause === cause ? last.count + 1 : 1;
    this.#causes.set(source, { cause, count });
    if (!Number.isInteger(Math.log10(count))) return;
    this.#write(describe(count === 1 ? cause : `${cause} (${count} times)`));
  }

  #write(line: string): void {
    const { write, secrets } = this.#options;
    write(`plumb: ${maskLine(singleLine(line), secrets?.())}`);
  }
}

const MAX_DRIFT = 5;

function drifted({ server, blocked, drift }: ServerDrifted): string {
  const shown = drift.slice(0, MAX_DRIFT).map(describeDrift);
  const more = drift.length > MAX_DRIFT ? [`and ${drift.length - MAX_DRIFT} more`] : [];
  const outcome = blocked
    ? 'it is blocked: review it with plumb diff, then approve it with plumb lock and reload'
    : 'clients see it because onDrift is warn';
  return `${server} differs from its lock: ${[...shown, ...more].join(', ')}; ${outcome}`;
}

function nextAttempt({ failures, limit, waitMs }: ServerStartFailed): string {
  if (limit !== undefined && failures >= limit)
    return `it is only tried again for calls, at most every ${seconds(waitMs)}: correct the cause, then restart or reload`;
  return waitMs === 0 ? 'the next call tries again' : `next attempt in ${seconds(waitMs)} at the earliest`;
}

function howItEnded(reason: CloseReason): string {
  switch (reason.kind) {
    case 'exit':
      return reason.signal === null
        ? `ended with exit code ${reason.code}`
        : `was ended by signal ${reason.signal}`;
    case 'error':
      return `was lost: ${oneLine(reason.error.message)}`;
    default:
      return 'closed the connection';
  }
}

function quoted(label: string, stderr: string): string {
  const words = lastWords(stderr);
  return words === '' ? '' : `; ${label}: ${words}`;
}

/** The line that says most: the last one that sounds like an error, else the last one. */
export function lastWords(stderr: string): string {
  const lines = plainText(stderr)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-LINES_CONSIDERED);
  const telling = lines.findLast((line) => TELLING.test(line) && !FRAME.test(line)) ?? lines.at(-1) ?? '';
  return telling.length > MAX_WORDS ? `${telling.slice(0, MAX_WORDS)}...` : telling;
}

const TELLING =
  /error|exception|cannot|could not|not found|denied|failed|invalid|missing|usage|required|panic/i;
/** Lines of a stack trace, which name files rather than causes. */
const FRAME = /^(?:at |File "|throw |node:|\^|code: )/;

function oneLine(text: string): string {
  return plainText(text.split('\n')[0] ?? '').trim();
}

function seconds(milliseconds: number): string {
  const rounded = Math.round(milliseconds / 100) * 100;
  return rounded < 1_000 ? `${Math.round(milliseconds)} ms` : `${rounded / 1_000} s`;
}
