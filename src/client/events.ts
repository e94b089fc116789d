/**
 * What a client tells its user unasked. A handler that throws, or whose promise rejects, is reported as a fault
 * and never reaches the connection that called it.
 */

import type { JsonObject } from '../jsonrpc/message.js';
import type { LogMessageParams } from '../protocol/model/logging.js';
import type { ResourceUpdatedParams } from '../protocol/model/notifications.js';
import type { CloseReason, TransportFault } from '../transports/transport.js';
import { messageOf } from './errors.js';

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
    /** Changes that the server does not tell us about any more, or never did. */
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
  /** Whoever made the call that it belongs to, where a relay made it and the transport tells. */
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
  close: [reason: CloseReason];
}

export type ClientEvent = keyof ClientEvents;
export type ClientEventHandler<E extends ClientEvent> = (...payload: ClientEvents[E]) => unknown;

type Handlers = { readonly [E in ClientEvent]: Set<ClientEventHandler<E>> };

export class Events {
  readonly #handlers: Handlers = {
    toolsChanged: new Set(),
    resourcesChanged: new Set(),
    promptsChanged: new Set(),
    resourceUpdated: new Set(),
    log: new Set(),
    notification: new Set(),
    fault: new Set(),
    close: new Set(),
  };

  /** Returns a function that takes the handler off again. */
  on<E extends ClientEvent>(event: E, handler: ClientEventHandler<E>): () => void {
    // Wrapped, so that the same function registered twice runs and leaves twice.
    const entry: ClientEventHandler<E> = (...payload) => handler(...payload);
    const handlers: Set<ClientEventHandler<E>> = this.#handlers[event];
    handlers.add(entry);
    return () => {
      handlers.delete(entry);
    };
  }

  has(event: ClientEvent): boolean {
    return this.#handlers[event].size > 0;
  }

  emit<E extends ClientEvent>(event: E, ...payload: ClientEvents[E]): void {
    const handlers: Set<ClientEventHandler<E>> = this.#handlers[event];
    if (handlers.size === 0) return;
    for (const handler of [...handlers]) {
      this.guard(`the handler of "${event}"`, () => handler(...payload), event === 'fault');
    }
  }

  fault(fault: ClientFault): void {
    this.emit('fault', fault);
  }

  /** Runs somebody else's code and turns its failure into a fault. `silent` where that could go on for ever. */
  guard(what: string, run: () => unknown, silent = false): void {
    const failed = (cause: unknown): void => {
      if (!silent) this.fault({ kind: 'handler', message: `${what} failed: ${messageOf(cause)}`, cause });
    };
    try {
      const outcome = run();
      if (outcome instanceof Promise) outcome.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
