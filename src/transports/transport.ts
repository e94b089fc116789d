/**
 * The seam between bytes and protocol: a duplex stream of JSON-RPC messages.
 * A client holds one for every kind of connection; a server gets one from stdio and memory.
 * A transport is used once: `start` a second time throws.
 */

import type { Batch, Decoded } from '../jsonrpc/decode.js';
import type { JsonObject, Message, RequestId } from '../jsonrpc/message.js';
import type { TransportError } from './errors.js';

/** Moves messages to a peer and back; write one to connect clients and servers over anything else. */
export interface Transport {
  /** A short name for people: the command line, the URL, "memory". */
  readonly label: string;
  /** The web address without query and credentials, for transports over HTTP: there messages have headers. */
  readonly endpoint?: string;
  /** Opens the connection. Nothing is delivered before this resolves a first time or after `closed`. */
  start(receiver: Receiver): Promise<void>;
  /**
   * Hands a message (or one already encoded as a single line of JSON) to the connection.
   * Resolves when the connection takes more, so that a sender who awaits it respects back-pressure;
   * rejects when the message certainly did not leave.
   */
  send(message: Message | string, options?: SendOptions): void | Promise<void>;
  /**
   * False while nothing of this request can have reached the peer, for transports that know. A request that is given up
   * by then was certainly not carried out.
   */
  hasLeft?(id: RequestId): boolean;
  /** Ends the connection in the orderly way, waits for it, and leaves no process, socket or timer behind. */
  close(): Promise<void>;
}

export interface SendOptions {
  /** Header values that mirror parts of the message, for transports that have headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The decoded form of an encoded request, from its writer: transports that have to know then need not read
   * it again.
   */
  readonly request?: SentRequest | undefined;
  /** The peer can do without it: where too much waits for a peer that does not read, it is refused. */
  readonly expendable?: boolean | undefined;
}

export interface SentRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** The revision that a stateless request names in its envelope. */
  readonly version: string | undefined;
}

/** What a transport reports to its user, from `start` on. */
export interface Receiver {
  /**
   * One message (or batch) in the order of arrival. `text` is what it was decoded from. `about` is the request of ours
   * on whose own stream it came, where requests have streams.
   */
  message(decoded: Decoded | Batch, text: string, about?: RequestId): void;
  /**
   * Offered a message before it is decoded. The id of the request that it answers, when its text was enough and it
   * has been taken; `undefined` when it is to be decoded.
   */
  take?(text: string): RequestId | undefined;
  /** Something that does not end the connection: a line that is no JSON, a line too long, a late write error. */
  fault(fault: TransportFault): void;
  /**
   * What the peer says unasked may have been lost for a while, where that comes on a stream of its own; with an error,
   * it is not heard any more.
   */
  interrupted?(error?: TransportError): void;
  /** Called exactly once, when the connection has ended for whatever reason. */
  closed(reason: CloseReason): void;
}

export interface TransportFault {
  readonly kind: 'noise' | 'oversize' | 'write';
  readonly message: string;
  /** The beginning of the offending input, for reports. */
  readonly sample?: string;
  /** The request of ours that an answer too long to read was for. */
  readonly answers?: RequestId;
}

/** Why a connection is over. */
export type CloseReason =
  /** We closed it. */
  | { readonly kind: 'local' }
  /** The peer ended it in an orderly way (end of input). */
  | {
      readonly kind: 'remote';
      readonly detail?: string;
      /** Only the peer's side has ended: it may still read answers to what it asked, until `close`. */
      readonly halfClosed?: boolean;
    }
  /** The child process ended. */
  | {
      readonly kind: 'exit';
      readonly code: number | null;
      readonly signal: string | null;
      readonly stderr: string;
    }
  | { readonly kind: 'error'; readonly error: Error };
