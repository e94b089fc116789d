/** Messages between the nodes of an endpoint about sessions: any node may hold a call or a stream. */

import { isRecord, type RequestId } from '../../jsonrpc/message.js';
import type { Store } from '../../store/store.js';

export type Control =
  | { readonly type: 'cancel'; readonly session: string; readonly id: RequestId; readonly reason: string }
  | { readonly type: 'resumed'; readonly session: string; readonly stream: string; readonly by: string }
  | { readonly type: 'opened'; readonly session: string; readonly stream: string }
  | { readonly type: 'changed'; readonly session: string }
  | { readonly type: 'ended'; readonly session: string };

const TOPIC = 'http-control';
const TYPES: ReadonlySet<unknown> = new Set(['cancel', 'resumed', 'opened', 'changed', 'ended']);

export class ControlBus {
  readonly #store: Store;
  readonly #obey: (control: Control) => void;
  readonly #missed: () => void;
  #subscribed: Promise<() => unknown> | undefined;
  #hears = false;

  /** `missed` is called when messages may have been lost on the way to this node. */
  constructor(store: Store, obey: (control: Control) => void, missed: () => void) {
    this.#store = store;
    this.#obey = obey;
    this.#missed = missed;
  }

  /** Sends to every node, this one included. */
  async tell(control: Control): Promise<void> {
    await this.listen();
    await this.#store.bus.publish(TOPIC, JSON.stringify(control));
  }

  /** Whether this node receives these messages. */
  get hears(): boolean {
    return this.#hears;
  }

  /** Resolves when this node receives these messages. */
  async listen(): Promise<void> {
    this.#subscribed ??= this.#subscribe();
    await this.#subscribed;
  }

  async close(): Promise<void> {
    const unsubscribe = await this.#subscribed;
    this.#subscribed = undefined;
    this.#hears = false;
    await unsubscribe?.();
  }

  async #subscribe(): Promise<() => unknown> {
    try {
      const unsubscribe = await this.#store.bus.subscribe(TOPIC, (text) => this.#hear(text), this.#missed);
      this.#hears = true;
      return unsubscribe;
    } catch (error) {
      // The next one who needs it tries again.
      this.#subscribed = undefined;
      throw error;
    }
  }

  #hear(text: string): void {
    const control: unknown = JSON.parse(text);
    if (isControl(control)) this.#obey(control);
  }
}

function isControl(value: unknown): value is Control {
  return isRecord(value) && TYPES.has(value.type);
}
