/** The messages of a connection, and which test case each belongs to. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { openTransport, type Target, type TransportSource } from '../../client/target.js';
import { encodeMessage } from '../../jsonrpc/encode.js';
import { isRecord, type Message } from '../../jsonrpc/message.js';
import { maskLine } from '../../protocol/secrets.js';
import type { Receiver, SendOptions, Transport } from '../../transports/transport.js';

interface LogEntry {
  readonly direction: 'sent' | 'received';
  readonly text: string;
  readonly owner: object | undefined;
}

export interface WireExcerpt {
  readonly sent: readonly string[];
  readonly received: readonly string[];
}

const MAX_ENTRIES = 5_000;
const MAX_TEXT = 16 * 1024;
const MAX_SHOWN = 20;

/** The case whose code runs. What it sends, and the answers to that, are its messages. */
const owners = new AsyncLocalStorage<object>();

export class WireLog {
  readonly #entries: LogEntry[] = [];
  /** By request id and by progress token, which both are ours. */
  readonly #owned = new Map<string, object>();
  readonly #secrets: readonly string[];
  /** The only case that runs, where no other can be meant. */
  sole: object | undefined;

  constructor(secrets: readonly string[] = []) {
    this.#secrets = secrets;
  }

  /** Runs the code as part of the case. */
  within<T>(owner: object, work: () => T): T {
    return owners.run(owner, work);
  }

  /** The target, with everything that crosses it written down. It can be opened as often as the target itself. */
  watch(target: Target): TransportSource {
    return { transport: async () => new WatchedTransport(await openTransport(target), this) };
  }

  sent(text: string): void {
    const owner = owners.getStore() ?? this.sole;
    const message = parse(text);
    if (owner !== undefined && isRecord(message) && 'method' in message && 'id' in message) {
      this.#owned.set(`id ${JSON.stringify(message.id)}`, owner);
      const meta = isRecord(message.params) && isRecord(message.params._meta) ? message.params._meta : {};
      if (meta.progressToken !== undefined)
        this.#owned.set(`token ${JSON.stringify(meta.progressToken)}`, owner);
    }
    this.#add({ direction: 'sent', text, owner });
  }

  received(text: string): void {
    const message = parse(text);
    let owner: object | undefined;
    if (isRecord(message)) {
      if (!('method' in message)) owner = this.#owned.get(`id ${JSON.stringify(message.id)}`);
      else if (isRecord(message.params))
        owner = this.#owned.get(`token ${JSON.stringify(message.params.progressToken)}`);
    }
    this.#add({ direction: 'received', text, owner: owner ?? this.sole });
  }

  /** The last messages of a case, or all that are kept. */
  excerpt(owner: object, { all = false }: { readonly all?: boolean } = {}): WireExcerpt {
    const own = this.#entries.filter((entry) => entry.owner === owner);
    const texts = (direction: LogEntry['direction']): string[] =>
      own
        .filter((entry) => entry.direction === direction)
        .slice(all ? 0 : -MAX_SHOWN)
        .map(({ text }) => maskLine(text, this.#secrets));
    return { sent: texts('sent'), received: texts('received') };
  }

  #add(entry: LogEntry): void {
    const text = entry.text.length > MAX_TEXT ? `${entry.text.slice(0, MAX_TEXT)}...` : entry.text;
    this.#entries.push({ ...entry, text });
    if (this.#entries.length > MAX_ENTRIES) this.#entries.splice(0, MAX_ENTRIES / 5);
    if (this.#owned.size > MAX_ENTRIES) this.#owned.clear();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

class WatchedTransport implements Transport {
  readonly label: string;
  readonly endpoint?: string;
  readonly #inner: Transport;
  readonly #log: WireLog;

  constructor(inner: Transport, log: WireLog) {
    this.label = inner.label;
    if (inner.endpoint !== undefined) this.endpoint = inner.endpoint;
    this.#inner = inner;
    this.#log = log;
  }

  start(receiver: Receiver): Promise<void> {
    return this.#inner.start({
      message: (decoded, text, about) => {
        this.#log.received(text);
        receiver.message(decoded, text, about);
      },
      fault: (fault) => {
        if (fault.sample !== undefined) this.#log.received(fault.sample);
        receiver.fault(fault);
      },
      interrupted: (error) => receiver.interrupted?.(error),
      closed: (reason) => receiver.closed(reason),
    });
  }

  send(message: Message | string, options?: SendOptions): void | Promise<void> {
    const text = typeof message === 'string' ? message : encodeMessage(message);
    this.#log.sent(text);
    return this.#inner.send(text, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
