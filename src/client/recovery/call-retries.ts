/**
 * What becomes of calls that fail on their way. Those that may be repeated are sent again on the next connection, once
 * it stands; all others fail at once, with an error that says whether the server may have acted.
 */

import { milliseconds } from '../../protocol/duration.js';
import type { Driver } from '../connection/driver.js';
import type { ExchangeHost, FailedCalls, OutgoingCall } from '../connection/outgoing-call.js';
import { CancelledError, mayHaveActed, TimeoutError } from '../errors.js';
import type { Settings } from '../options.js';
import { isDoubtful, isRepeatable, type Loss, lossOf, type RepeatableTools } from './replay.js';

export interface CallRetriesHost {
  readonly settings: Pick<Settings, 'clock' | 'maxReplays' | 'timeout' | 'whenNotReady'>;
  readonly driver: Driver;
  readonly repeatableTools: RepeatableTools;
  send<T>(call: OutgoingCall<T>): Promise<T>;
  retried(method: string, error: unknown): void;
}

export class CallRetries implements FailedCalls {
  readonly #host: CallRetriesHost;

  constructor(host: CallRetriesHost) {
    this.#host = host;
  }

  failed<T>(
    call: OutgoingCall<T>,
    error: unknown,
    settle: (value: T | Promise<T>) => void,
    refuse: (error: unknown) => void,
    host: ExchangeHost,
  ): void {
    const { driver, settings } = this.#host;
    if (error instanceof TimeoutError) void driver.suspect(host);
    const loss = lossOf(error);
    if (loss === 'unreachable') driver.unreachable(host, error);
    else if (loss === 'forgotten') driver.forgotten(host, error);
    const again = loss === undefined ? undefined : this.#again(call, error, loss);
    if (loss === undefined || again === undefined) {
      refuse(error);
      return;
    }
    const asks = this.#mustAsk(call, error, loss);
    const { method, options, history } = again;
    const timeout = (history?.until ?? 0) - settings.clock();
    const once = loss === 'forgotten' && !this.#waits(call) && !this.#isRepeatable(call);
    const resend = (): void => {
      this.#host.retried(method, error);
      const sent = this.#host.send(again);
      settle(sent.catch((reason: unknown) => Promise.reject(graver(error, reason))));
    };
    driver.ready({ method, timeout, signal: options.signal, once }).then(
      () => {
        if (!asks) return resend();
        void this.#confirmed(again).then((yes) =>
          yes ? resend() : refuse(this.#wish(again, error) ?? error),
        );
      },
      // The first failure says more than that no connection came after it; only the caller's own wish says more.
      (reason: unknown) => refuse(this.#wish(again, error) ?? (loss === 'forgotten' ? reason : error)),
    );
  }

  /** The caller does not want the call any more. */
  #wish({ method, options, cancellation }: OutgoingCall<unknown>, failure: unknown): Error | undefined {
    const { signal } = options;
    const acted = mayHaveActed(failure);
    if (cancellation?.isCancelled === true) return new CancelledError(method, cancellation.reason, acted);
    return signal?.aborted === true ? new CancelledError(method, signal.reason, acted) : undefined;
  }

  /** Whether the server that took the place of the lost one lets this tool be called again. */
  async #confirmed({ params, options, history }: OutgoingCall<unknown>): Promise<boolean> {
    const { repeatableTools, settings } = this.#host;
    const timeout = Math.max(0, (history?.until ?? 0) - settings.clock());
    try {
      return await repeatableTools.confirm(params.name, { timeout, signal: options.signal });
    } catch {
      return false;
    }
  }

  /** The call with one more entry in its history, if it may be sent again. */
  #again<T>(call: OutgoingCall<T>, error: unknown, loss: Loss): OutgoingCall<T> | undefined {
    const { driver, settings } = this.#host;
    const now = settings.clock();
    const history = call.history ?? {
      replays: 0,
      until: now + milliseconds(call.options.timeout ?? settings.timeout),
    };
    const unsent = loss !== 'forgotten' && !mayHaveActed(error);
    // What was never sent costs nothing, but only while there is something to wait for: this must not spin.
    const replays = unsent && !driver.isReady ? history.replays : history.replays + 1;
    const most = loss === 'forgotten' ? Math.max(1, settings.maxReplays) : settings.maxReplays;
    if (now >= history.until || replays > most) return undefined;
    const allowed =
      loss === 'forgotten' ||
      (driver.recovers &&
        (this.#isRepeatable(call) || this.#isDoubtful(call) || (unsent && this.#waits(call))));
    return allowed ? { ...call, history: { replays, until: history.until } } : undefined;
  }

  #isRepeatable(call: OutgoingCall<unknown>): boolean {
    return isRepeatable(call, this.#host.repeatableTools);
  }

  #isDoubtful(call: OutgoingCall<unknown>): boolean {
    return isDoubtful(call, this.#host.repeatableTools);
  }

  /** What the server certainly did not do may be sent to it without a word. */
  #mustAsk(call: OutgoingCall<unknown>, error: unknown, loss: Loss): boolean {
    if (loss === 'forgotten' || !mayHaveActed(error)) return false;
    return !this.#isRepeatable(call) && this.#isDoubtful(call);
  }

  /** Whether the call is worth waiting for another attempt to connect. */
  #waits({ options }: OutgoingCall<unknown>): boolean {
    return (options.whenNotReady ?? this.#host.settings.whenNotReady) === 'wait';
  }
}

/** What to say of a call that failed twice: that the server may have acted, if either time it may have. */
function graver(first: unknown, second: unknown): unknown {
  if (!mayHaveActed(first) || mayHaveActed(second)) return second;
  return second instanceof CancelledError ? new CancelledError(second.method, second.cause, true) : first;
}
