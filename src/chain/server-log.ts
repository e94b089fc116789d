/** One readable line for each event of the servers behind a chain; causes that repeat are counted. */

import { ConnectionClosedError, messageOf, StartTimeoutError } from '../client/errors.js';
import { singleLine } from '../protocol/display.js';
import { plainText } from '../protocol/plain-text.js';
import { maskLine } from '../protocol/secrets.js';
import { servedAddress, tellingLine } from '../protocol/telling-line.js';
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
        const time = `${Math.floor(event.afterMs / 1_000)} s of ${seconds(event.limitMs)}`;
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

  /** The first time, when it is given up, and then the tenth, the hundredth: a server may be away for days. */
  #startFailed(event: ServerStartFailed): string | undefined {
    const { server, error, failures, limit, stderr } = event;
    const cause = this.#startCause(error, stderr);
    const words = quoted('stderr', stderr);
    const known = this.#causes.get(server)?.cause === cause + words;
    this.#causes.set(server, { cause: cause + words, count: failures });
    if (known && failures !== limit && !isPowerOfTen(failures)) return undefined;
    const attempt = limit === undefined ? `attempt ${failures}` : `attempt ${failures} of ${limit}`;
    const again = limit === undefined ? 'still cannot be reached' : 'failed to start for the same reason';
    return `${server} ${known ? again : `${cause}${words}`} (${attempt}); ${nextAttempt(event)}`;
  }

  #startCause(error: unknown, stderr: string): string {
    if (error instanceof StartTimeoutError) {
      const { raiseLimit } = this.#options;
      const advice = raiseLimit === undefined ? '' : `; raise ${raiseLimit} if it starts slowly`;
      const address = servedAddress(stderr);
      const other =
        address === undefined
          ? ''
          : `; it seems to serve HTTP at ${address}: configure that as its url, or an option of the server for stdio`;
      return `did not answer within ${seconds(error.waitedMs)} and was ended${other || advice}`;
    }
    if (error instanceof ConnectionClosedError) return `${howItEnded(error.reason)} while it started`;
    if (error instanceof TransportError && error.code === 'spawn_failed')
      return `could not be started: ${oneLine(error.message)}`;
    const text = oneLine(messageOf(error));
    // The transport's own words, without saying twice that it could not be reached.
    const [, address, reason] = /^(\S+) could not be reached: (.*)$/.exec(text) ?? [];
    return reason === undefined
      ? `could not be reached: ${text}`
      : `could not be reached at ${address}: ${reason}`;
  }

  /** The first, the tenth, the hundredth time. */
  #counted(source: string, cause: string, describe: (line: string) => string): void {
    const last = this.#causes.get(source);
    const count = last?.cause === cause ? last.count + 1 : 1;
    this.#causes.set(source, { cause, count });
    if (!isPowerOfTen(count)) return;
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

/** The line that says most, cut when it is long. */
export function lastWords(stderr: string): string {
  const lines = stderr.split('\n').slice(-LINES_CONSIDERED);
  const telling = tellingLine(lines.join('\n'));
  return telling.length > MAX_WORDS ? `${telling.slice(0, MAX_WORDS)}...` : telling;
}

function isPowerOfTen(count: number): boolean {
  return Number.isInteger(Math.log10(count));
}

function oneLine(text: string): string {
  return plainText(text.split('\n')[0] ?? '').trim();
}

function seconds(milliseconds: number): string {
  const rounded = Math.round(milliseconds / 100) * 100;
  return rounded < 1_000 ? `${Math.round(milliseconds)} ms` : `${rounded / 1_000} s`;
}
