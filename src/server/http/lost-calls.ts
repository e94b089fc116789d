/**
 * Calls whose node died. A client that comes back for the rest of its answer would wait for ever; whichever node it
 * came to answers in place of the dead one, once, with an error that says what to do.
 */

import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { encodeError } from '../../jsonrpc/encode.js';
import { isRecord, isRequestId, type RequestId } from '../../jsonrpc/message.js';
import type { Store } from '../../store/store.js';

const LOST = 'The server that ran this call has stopped; whether the call took effect is unknown. Call again';

/** How often within a lease one looks whether the node of a call is still there. */
const LOOKS = 6;

/** What `noteCalls` has written. */
interface Note {
  readonly node: string;
  readonly ids: readonly RequestId[];
}

/** Looks after one stream until it has ended or `stop` is called. */
export class LostCallWatch {
  readonly #store: Store;
  readonly #session: string;
  readonly #stream: string;
  readonly #onError: (error: unknown) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(store: Store, session: string, stream: string, onError: (error: unknown) => void) {
    this.#store = store;
    this.#session = session;
    this.#stream = stream;
    this.#onError = onError;
  }

  start(): void {
    void this.#look();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    let watching = true;
    try {
      watching = await this.#isOpen();
    } catch (error) {
      this.#onError(error);
    }
    if (this.#stopped || !watching) return;
    this.#timer = setTimeout(() => void this.#look(), this.#store.nodes.leaseMs / LOOKS);
    if (typeof this.#timer === 'object' && 'unref' in this.#timer) this.#timer.unref();
  }

  /** False when there is nothing more to look after. */
  async #isOpen(): Promise<boolean> {
    const { events, nodes } = this.#store;
    const note = parseNote(await events.unfinished(this.#session, this.#stream));
    if (note === undefined || note.node === nodes.self) return false;
    if (await nodes.isAlive(note.node)) return true;
    const errors = note.ids.map((id) => encodeError(id, { code: INTERNAL_ERROR, message: LOST }));
    await events.abandon(this.#session, this.#stream, errors);
    return false;
  }
}

function parseNote(text: string | undefined): Note | undefined {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isRecord(value) || typeof value.node !== 'string' || !Array.isArray(value.ids)) return undefined;
  return { node: value.node, ids: value.ids.filter(isRequestId) };
}
