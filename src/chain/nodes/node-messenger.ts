/**
 * Exchanges between nodes, over the mailboxes of the store that they share. Each chain has one box; an exchange
 * is a request that one of them gives to the other, and ends with its outcome or with one of the two.
 */

import type { Store, Unsubscribe } from '../../store/store.js';
import {
  type MessageBody,
  NodeAbsent,
  type NodeMessage,
  parseNodeMessage,
  type WorkRequest,
} from './node-message.js';

/** How often within a lease one looks whether the others are still there. */
const LOOKS = 6;

export interface ExchangeParty {
  receive(body: MessageBody): void;
  /** The other node is gone. */
  lost(): void;
}

/** Takes on a request that another node gives; returns who hears the rest of the exchange. */
export type AcceptWork = (request: WorkRequest, exchange: WorkExchange) => ExchangeParty;

export class NodeMessenger {
  readonly store: Store;
  /** The node, and a name of its own: several chains of a process may share a store. */
  readonly address: string;
  readonly #take: AcceptWork;
  readonly #onError: (error: unknown) => void;
  readonly #exchanges = new Map<string, WorkExchange>();
  #opened: Promise<Unsubscribe> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(store: Store, take: AcceptWork, onError: (error: unknown) => void) {
    this.store = store;
    this.address = `${store.nodes.self}/${crypto.randomUUID()}`;
    this.#take = take;
    this.#onError = onError;
  }

  /** Resolves when others can write here. */
  async ready(): Promise<void> {
    this.#opened ??= Promise.resolve(
      this.store.mailboxes.open(boxOf(this.address), (text) => this.#receive(text)),
    );
    try {
      await this.#opened;
    } catch (error) {
      // The next one who needs it tries again.
      this.#opened = undefined;
      throw error;
    }
  }

  async isThere(address: string): Promise<boolean> {
    return this.store.nodes.isAlive(address.slice(0, address.indexOf('/')));
  }

  /** Gives a request to another node. */
  async begin(
    address: string,
    request: WorkRequest,
    party: (exchange: WorkExchange) => ExchangeParty,
  ): Promise<WorkExchange> {
    await this.ready();
    if (!(await this.isThere(address))) throw new NodeAbsent(false);
    const exchange = this.#open(crypto.randomUUID(), address, party);
    exchange.send({ type: 'request', from: this.address, request });
    return exchange;
  }

  /** False when there is no reader. */
  async deliver(address: string, message: NodeMessage): Promise<boolean> {
    return this.store.mailboxes.deliver(boxOf(address), JSON.stringify(message));
  }

  forget(exchange: WorkExchange): void {
    this.#exchanges.delete(exchange.id);
    if (this.#exchanges.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  failed(error: unknown): void {
    this.#onError(error);
  }

  /** Ends what others gave to do here, and what was given to others. */
  async close(): Promise<void> {
    const exchanges = [...this.#exchanges.values()];
    for (const exchange of exchanges) exchange.lose();
    await Promise.all(exchanges.map((exchange) => exchange.sent));
    const unsubscribe = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    await unsubscribe?.();
  }

  #open(id: string, address: string, party: (exchange: WorkExchange) => ExchangeParty): WorkExchange {
    const exchange = new WorkExchange(this, id, address, party);
    this.#exchanges.set(id, exchange);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => void this.#look(), this.store.nodes.leaseMs / LOOKS);
      if (typeof this.#timer === 'object') this.#timer.unref();
    }
    return exchange;
  }

  #receive(text: string): void {
    const message = parseNodeMessage(text);
    if (message === undefined) return;
    const { id, ...body } = message;
    if (body.type !== 'request') this.#exchanges.get(id)?.receive(body);
    else this.#open(id, body.from, (exchange) => this.#take(body.request, exchange));
  }

  async #look(): Promise<void> {
    const addresses = new Set([...this.#exchanges.values()].map(({ address }) => address));
    for (const address of addresses) {
      try {
        if (await this.isThere(address)) continue;
      } catch (error) {
        this.#onError(error);
        continue;
      }
      for (const exchange of [...this.#exchanges.values()]) {
        if (exchange.address === address) exchange.lose();
      }
    }
  }
}

export class WorkExchange {
  readonly id: string;
  /** Of the other one. */
  readonly address: string;
  readonly #messenger: NodeMessenger;
  readonly #party: ExchangeParty;
  /** Messages leave in the order in which they were written. */
  #tail: Promise<void> = Promise.resolve();
  #open = true;
  /** Whether something that was said here may have got there. */
  heard = false;

  constructor(
    messenger: NodeMessenger,
    id: string,
    address: string,
    party: (exchange: WorkExchange) => ExchangeParty,
  ) {
    this.#messenger = messenger;
    this.id = id;
    this.address = address;
    this.#party = party(this);
  }

  /** Resolves when everything has been delivered, or there is no reader. */
  get sent(): Promise<void> {
    return this.#tail;
  }

  send(body: MessageBody): void {
    if (this.#open) this.#tail = this.#tail.then(() => this.#deliver(body));
  }

  /** Says this, and nothing more. */
  end(last?: MessageBody): void {
    if (last !== undefined) this.send(last);
    this.#open = false;
    this.#messenger.forget(this);
  }

  receive(body: MessageBody): void {
    if (this.#open) this.#party.receive(body);
  }

  lose(): void {
    if (this.#open) this.#party.lost();
  }

  async #deliver(body: MessageBody): Promise<void> {
    try {
      if (await this.#messenger.deliver(this.address, { ...body, id: this.id })) {
        this.heard = true;
        return;
      }
    } catch (error) {
      this.heard = true;
      this.#messenger.failed(error);
    }
    this.lose();
  }
}

function boxOf(address: string): string {
  return `chain:${address}`;
}
