/** A connection on which things go wrong, the same way every time for the same seed. */

import { openTransport, type TransportSource } from '../../client/target.js';
import { decodeText } from '../../jsonrpc/decode.js';
import type { Message } from '../../jsonrpc/message.js';
import { type Duration, milliseconds } from '../../protocol/duration.js';
import { TransportError } from '../../transports/errors.js';
import type { Receiver, SendOptions, Transport } from '../../transports/transport.js';
import { createRandom } from '../../validate/fuzz/random.js';
import { type TestTarget, targetOf, textOfMessage } from './sdk-source.js';

export interface TransportFaults {
  /** The same number, the same faults. Default: 1. */
  readonly seed?: number | undefined;
  /** Which messages are affected. Default: `both`. */
  readonly direction?: 'sent' | 'received' | 'both' | undefined;
  /** Shares of the messages, from 0 to 1. */
  readonly drop?: number | undefined;
  /** Is delivered twice. */
  readonly duplicate?: number | undefined;
  /** Is delivered after the message that follows it. */
  readonly reorder?: number | undefined;
  /** One character is replaced. */
  readonly corrupt?: number | undefined;
  /** A share of the messages, late by 50 ms or by the time given. */
  readonly delay?: number | { readonly rate: number; readonly by: Duration } | undefined;
  /** So many messages of both directions pass first, such as those that open the connection. Default: none. */
  readonly startAfter?: number | undefined;
  /** The connection ends after so many messages of both directions. */
  readonly cutAfter?: number | undefined;
  /** Called with every fault. */
  readonly onFault?: ((fault: InjectedFault) => void) | undefined;
}

export interface InjectedFault {
  readonly kind: 'drop' | 'duplicate' | 'reorder' | 'corrupt' | 'delay' | 'cut';
  readonly direction: 'sent' | 'received';
  readonly text: string;
}

const DEFAULT_DELAY_MS = 50;
/** A message that waits for another one to overtake it waits no longer than this. */
const REORDER_MS = 100;

/** The target, with faults: `connect(createFaultyTransport(server, { seed: 7, drop: 0.1 }))`. */
export function createFaultyTransport(target: TestTarget, faults: TransportFaults): TransportSource {
  // One sequence for all connections: a reconnection meets other faults than the first one.
  const random = createRandom(faults.seed ?? 1);
  return {
    transport: async () => new FaultyTransport(await openTransport(targetOf(target)), faults, random),
  };
}

type Deliver = (text: string) => void;

class FaultyTransport implements Transport {
  readonly label: string;
  readonly #inner: Transport;
  readonly #faults: TransportFaults;
  readonly #delay: { readonly rate: number; readonly ms: number };
  readonly #random: () => number;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #held: { [Direction in 'sent' | 'received']: (() => void) | undefined } = {
    sent: undefined,
    received: undefined,
  };
  #receiver: Receiver | undefined;
  #count = 0;
  #isCut = false;

  constructor(inner: Transport, faults: TransportFaults, random: () => number) {
    this.label = `${inner.label} (with faults)`;
    this.#inner = inner;
    this.#faults = faults;
    this.#delay = delayOf(faults.delay);
    this.#random = random;
  }

  start(receiver: Receiver): Promise<void> {
    this.#receiver = receiver;
    return this.#inner.start({
      message: (_decoded, text) => {
        this.#pass('received', text, (changed) => {
          if (!this.#isCut) receiver.message(decodeText(changed), changed);
        });
      },
      fault: (fault) => receiver.fault(fault),
      interrupted: (error) => receiver.interrupted?.(error),
      closed: (reason) => {
        this.#clear();
        if (!this.#isCut) receiver.closed(reason);
      },
    });
  }

  send(message: Message | string, options?: SendOptions): void | Promise<void> {
    if (this.#isCut) return Promise.reject(new TransportError('connection_closed', 'The connection was cut'));
    this.#pass('sent', textOfMessage(message), (changed) => {
      // The message is lost with the connection that it is for.
      Promise.resolve(this.#inner.send(changed, changed === message ? options : undefined)).catch(() => {});
    });
  }

  close(): Promise<void> {
    this.#clear();
    return this.#inner.close();
  }

  #pass(direction: 'sent' | 'received', text: string, deliver: Deliver): void {
    const {
      direction: chosen = 'both',
      cutAfter,
      startAfter = 0,
      drop = 0,
      duplicate = 0,
      reorder = 0,
      corrupt = 0,
    } = this.#faults;
    this.#count += 1;
    if (cutAfter !== undefined && this.#count > cutAfter) {
      this.#cut(direction, text);
      return;
    }
    if (this.#count <= startAfter || (chosen !== 'both' && chosen !== direction)) {
      deliver(text);
      return;
    }
    // All are drawn for every message, so that one rate does not change what another one hits.
    const [lost, twice, later, broken, slow] = Array.from({ length: 5 }, () => this.#random());
    const hit = (draw: number | undefined, rate: number, kind: InjectedFault['kind']): boolean => {
      const is = (draw ?? 1) < rate;
      if (is) this.#faults.onFault?.({ kind, direction, text });
      return is;
    };
    if (hit(lost, drop, 'drop')) return;
    const changed = hit(broken, corrupt, 'corrupt') ? this.#corrupted(text) : text;
    const times = hit(twice, duplicate, 'duplicate') ? 2 : 1;
    const out = (): void => {
      for (let time = 0; time < times; time += 1) deliver(changed);
    };
    const { rate, ms } = this.#delay;
    if (hit(slow, rate, 'delay')) this.#later(ms, out);
    else if (hit(later, reorder, 'reorder')) this.#hold(direction, out);
    else {
      out();
      this.#release(direction);
    }
  }

  #hold(direction: 'sent' | 'received', out: () => void): void {
    this.#release(direction);
    this.#held[direction] = out;
    this.#later(REORDER_MS, () => this.#release(direction));
  }

  #release(direction: 'sent' | 'received'): void {
    const held = this.#held[direction];
    this.#held[direction] = undefined;
    held?.();
  }

  #later(milliseconds: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, milliseconds);
    this.#timers.add(timer);
  }

  #corrupted(text: string): string {
    const at = Math.floor(this.#random() * text.length);
    return `${text.slice(0, at)}\u0001${text.slice(at + 1)}`;
  }

  #cut(direction: 'sent' | 'received', text: string): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#faults.onFault?.({ kind: 'cut', direction, text });
    this.#clear();
    this.#receiver?.closed({ kind: 'error', error: new Error('The connection was cut by the test') });
    void this.#inner.close();
  }

  #clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#held.sent = undefined;
    this.#held.received = undefined;
  }
}

function delayOf(delay: TransportFaults['delay']): { rate: number; ms: number } {
  if (delay === undefined) return { rate: 0, ms: 0 };
  return typeof delay === 'number'
    ? { rate: delay, ms: DEFAULT_DELAY_MS }
    : { rate: delay.rate, ms: milliseconds(delay.by) };
}
