/**
 * What becomes of calls that fail on their way. Those that may be repeated are sent again on the next connection, once
 * it stands; all others fail at once, with an error that says whether the server may have acted.
 */

import type { Driver } from './driver.js';
import { mayHaveActed, TimeoutError } from './errors.js';
import type { CallKeeper, ExchangeHost, Outgoing } from './exchange.js';
import type { Settings } from './options.js';
import { isRepeatable, type Loss, lossOf, type RepeatableTools } from './replay.js';

export interface KeeperHost {
  readonly settings: Pick<Settings, 'clock' | 'maxReplays' | 'timeout' | 'whenNotReady'>;
  readonly driver: Driver;
  readonly repeatableTools: RepeatableTools;
  send<T>(call: Outgoing<T>): Promise<T>;
  retried(method: string, error: unknown): void;
}

export class Keeper implements CallKeeper {
  readonly #host: KeeperHost;

  constructor(host: KeeperHost) {
    this.#host = host;
  }

  failed<T>(
    call: Outgoing<T>,
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
    if (again === undefined) {
      refuse(error);
      return;
    }
    const { method, options, history } = again;
    const timeout = (history?.until ?? 0) - settings.clock();
    const once = loss === 'forgotten' && !this.#waits(call) && !this.#isRepeatable(call);
    driver.ready({ method, timeout, signal: options.signal, once }).then(
      () => {
        this.#host.retried(method, error);
        settle(this.#host.send(again));
      },
      // The first failure says more than that no connection came after it; only the caller's own wish says more.
      (reason: unknown) => refuse(loss === 'forgotten' || options.signal?.aborted === true ? reason : error),
    );
  }

  /** The call with one more entry in its history, if it may be sent again. */
  #again<T>(call: Outgoing<T>, error: unknown, loss: Loss): Outgoing<T> | undefined {
    const { driver, settings } = this.#host;
    const now = settings.clock();
    const history = call.history ?? { replays: 0, until: now + (call.options.timeout ?? settings.timeout) };
    const unsent = loss !== 'forgotten' && !mayHaveActed(error);
    // What was never sent costs nothing, but only while there is something to wait for: this must not spin.
    const replays = unsent && !driver.isReady ? history.replays : history.replays + 1;
    const most = loss === 'forgotten' ? Math.max(1, settings.maxReplays) : settings.maxReplays;
    if (now >= history.until || replays > most) return undefined;
    const allowed =
      loss === 'forgotten' ||
      (driver.recovers && (this.#isRepeatable(call) || (unsent && this.#waits(call))));
    return allowed ? { ...call, history: { replays, until: history.until } } : undefined;
  }

  #isRepeatable(call: Outgoing<unknown>): boolean {
    return isRepeatable(call, this.#host.repeatableTools);
  }

  /** Whether the call is worth waiting for another attempt to connect. */
  #waits({ options }: Outgoing<unknown>): boolean {
    return (options.whenNotReady ?? this.#host.settings.whenNotReady) === 'wait';
  }
}
