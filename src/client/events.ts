/**
 * The events of a client. A handler that throws, or whose promise rejects, is reported as a fault
 * and never reaches the connection that called it. Each handler hears its events in order, one at a time.
 */

import type { JsonObject } from '../jsonrpc/message.js';
import type { LogMessageParams } from '../protocol/model/logging.js';
import type { ResourceUpdatedParams } from '../protocol/model/notifications.js';
import type { CloseReason, TransportFault } from '../transports/transport.js';
import type { StateChange } from './connection/driver.js';
import { messageOf } from './errors.js';
import { MAX_QUEUED_EVENTS, Subscriber } from './features/subscriber.js';

/** Something was wrong, and the connection goes on. */
export interface ClientFault {
  readonly kind:
    | TransportFault['kind']
    /** A message that is not JSON-RPC, or breaks its rules. */
    | 'malformed'
    /** An answer to nothing that we asked. */
    | 'unexpected_answer'
    /** A request or notification that this revision does not allow. */
    | 'unexpected_message'
    /** Read all the same, but not as the protocol has it. */
    | 'deviation'
    /** Changes that the server no longer reports, or never did. */
    | 'subscription'
    /** A handler of ours failed. */
    | 'handler';
  readonly message: string;
  /** The beginning of the offending input. */
  readonly sample?: string;
  readonly cause?: unknown;
}

export interface ServerNotification {
  readonly method: string;
  readonly params: JsonObject;
  /** The caller whose call it belongs to, where a relay made it and the transport knows. */
  readonly owner?: unknown;
}

/** The arguments of each event's handlers. */
export interface ClientEvents {
  toolsChanged: [];
  resourcesChanged: [];
  promptsChanged: [];
  resourceUpdated: [update: ResourceUpdatedParams];
  log: [message: LogMessageParams];
  /** Every notification of the server, also those with an event of their own. */
  notification: [notification: ServerNotification];
  fault: [fault: ClientFault];
  /** The connection begins, stands, is lost, is tried again, or ends. */
  state: [change: StateChange];
  /** The client is closed for good. */
  close: [reason: CloseReason];
}

export type ClientEvent = keyof ClientEvents;
export type ClientEventHandler<E extends ClientEvent> = (...payload: ClientEvents[E]) => unknown;

type Subscribers = { readonly [E in ClientEvent]: Set<Subscriber<ClientEvents[E]>> };

/** Events that say no more than "look again", so that several of them are one. */
const COALESCING: { readonly [E in ClientEvent]?: true } = {
  toolsChanged: true,
  resourcesChanged: true,
  promptsChanged: true,
};

export class Events {
  readonly #subscribers: Subscribers = {
    toolsChanged: new Set(),
    resourcesChanged: new Set(),
    promptsChanged: new Set(),
    resourceUpdated: new Set(),
    log: new Set(),
    notification: new Set(),
    fault: new Set(),
    state: new Set(),
    close: new Set(),
  };

  /** Returns a function that takes the handler off again. */
  on<E extends ClientEvent>(event: E, handler: ClientEventHandler<E>): () => void {
    const subscribers: Set<Subscriber<ClientEvents[E]>> = this.#subscribers[event];
    // A failure while a fault is reported would be reported again, in an endless loop.
    const tell = (fault: ClientFault): void => {
      if (event !== 'fault') this.fault(fault);
    };
    const subscriber = this.subscriber(`the handler of "${event}"`, handler, event in COALESCING, tell);
    subscribers.add(subscriber);
    return () => {
      subscribers.delete(subscriber);
      subscriber.end();
    };
  }

  /** A function of the application, with its queue and its failures contained. */
  subscriber<P extends readonly unknown[]>(
    what: string,
    handler: (...payload: P) => unknown,
    coalesces: boolean,
    tell: (fault: ClientFault) => void = (fault) => this.fault(fault),
  ): Subscriber<P> {
    return new Subscriber({
      handler,
      coalesces,
      limit: MAX_QUEUED_EVENTS,
      failed: (cause) => tell({ kind: 'handler', message: `${what} failed: ${messageOf(cause)}`, cause }),
      overflowed: () =>
        tell({
          kind: 'handler',
          message: `${what} is too slow: more than ${MAX_QUEUED_EVENTS} events wait for it, and the oldest are dropped`,
        }),
    });
  }

  has(event: ClientEvent): boolean {
    return this.#subscribers[event].size > 0;
  }

  emit<E extends ClientEvent>(event: E, ...payload: ClientEvents[E]): void {
    const subscribers: Set<Subscriber<ClientEvents[E]>> = this.#subscribers[event];
    if (subscribers.size === 0) return;
    for (const subscriber of [...subscribers]) subscriber.deliver(payload);
  }

  fault(fault: ClientFault): void {
    this.emit('fault', fault);
  }

  /** Runs code of the application immediately and turns its failure into a fault. */
  guard(what: string, run: () => unknown): void {
    const failed = (cause: unknown): void =>
      this.fault({ kind: 'handler', message: `${what} failed: ${messageOf(cause)}`, cause });
    try {
      const outcome = run();
      if (outcome instanceof Promise) outcome.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
