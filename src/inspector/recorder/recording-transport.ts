/** A transport that is listened to: every text both ways is recorded, and handed on as it is. */

import type { Target } from '../../client/index.js';
import type { StdioTarget, TransportSource } from '../../client/target.js';
import { openTransport } from '../../client/target.js';
import { decodeValue } from '../../jsonrpc/decode.js';
import { encodeMessage } from '../../jsonrpc/encode.js';
import type { Message } from '../../jsonrpc/message.js';
import type { Authorizer } from '../../transports/http/client/authorization.js';
import type { HttpRequester } from '../../transports/http/client/requester.js';
import type { CloseReason, Receiver, SendOptions, Transport } from '../../transports/transport.js';
import type { ConnectionEvent, TransportName } from '../api.js';
import { type ConversationOrigin, RecordedConversation } from './conversation.js';
import { HttpExchanges, type HttpWatcher } from './http-exchanges.js';
import type { Recording } from './recording.js';
import type { SentRequests } from './sent-requests.js';

export interface RecordedTarget {
  readonly target: Target;
  readonly recording: Recording;
  /** Of the next connection. */
  origin(): ConversationOrigin;
  /** Asked for each connection. */
  readonly auth?: (() => Promise<Authorizer | undefined>) | undefined;
  readonly watcher?: HttpWatcher | undefined;
  /** Called with the transport that is used in the end: a server may support only HTTP+SSE. */
  readonly onTransport?: ((name: TransportName) => void) | undefined;
}

/** The same target, recorded. It can be opened again as often as the target itself. */
export function recorded({
  target,
  recording,
  origin,
  auth,
  watcher,
  onTransport,
}: RecordedTarget): TransportSource {
  return {
    transport: async () => {
      const first = origin();
      const conversation = new RecordedConversation(recording, first);
      if (!isUrl(target)) {
        return new RecordingTransport(await openTransport(target), conversation, recording.sent);
      }
      onTransport?.('http');
      const exchanges = new HttpExchanges(recording, conversation, {
        ...watcher,
        fellBack: () => {
          conversation.moved({ ...first, transport: 'sse' });
          onTransport?.('sse');
        },
      });
      const settings = typeof target === 'string' || target instanceof URL ? { url: target } : target;
      const transport = await openTransport({
        auth: await auth?.(),
        ...settings,
        tap: (requester: HttpRequester) => exchanges.tap(requester),
      });
      return new RecordingTransport(transport, conversation, recording.sent, exchanges);
    },
  };
}

/** The same program, recorded: a chain treats programs differently from other targets, so it stays one. */
export function recordedProgram(
  target: StdioTarget,
  recording: Recording,
  origin: () => ConversationOrigin,
): StdioTarget {
  const { tap } = target;
  return {
    ...target,
    tap: (opened) => {
      const conversation = new RecordedConversation(recording, origin());
      return new RecordingTransport(tap?.(opened) ?? opened, conversation, recording.sent);
    },
  };
}

function isUrl(target: Target): target is Extract<Target, string | URL | { url: unknown }> {
  return typeof target === 'string' || target instanceof URL || 'url' in target;
}

class RecordingTransport implements Transport {
  readonly label: string;
  readonly endpoint?: string;
  readonly #inner: Transport;
  readonly #conversation: RecordedConversation;
  readonly #sent: SentRequests;
  readonly #exchanges: HttpExchanges | undefined;

  constructor(
    inner: Transport,
    conversation: RecordedConversation,
    sent: SentRequests,
    exchanges?: HttpExchanges,
  ) {
    this.#sent = sent;
    this.label = inner.label;
    if (inner.endpoint !== undefined) this.endpoint = inner.endpoint;
    this.#inner = inner;
    this.#conversation = conversation;
    this.#exchanges = exchanges;
  }

  start(receiver: Receiver): Promise<void> {
    return this.#inner.start({
      message: (decoded, text, about) => {
        const heard = { about, ...this.#exchanges?.current() };
        this.#conversation.hear('to-client', text, heard, decoded);
        receiver.message(decoded, text, about);
      },
      fault: (fault) => {
        if (fault.sample !== undefined) this.#conversation.hear('to-client', fault.sample);
        receiver.fault(fault);
      },
      closed: (reason) => {
        this.#conversation.end();
        const { event, text, failed } = endingOf(reason);
        this.#conversation.event(event, text, failed);
        receiver.closed(reason);
      },
    });
  }

  send(message: Message | string, options?: SendOptions): void | Promise<void> {
    const text = typeof message === 'string' ? message : encodeMessage(message);
    const decoded = typeof message === 'string' ? undefined : decodeValue(message);
    const stored = this.#conversation.hear('to-server', text, {}, decoded);
    if (stored !== undefined) {
      this.#exchanges?.expect(text, stored);
      if (stored.kind === 'request' && this.#exchanges !== undefined) this.#sent.add(text, stored.group);
    }
    return this.#inner.send(text, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

function endingOf(reason: CloseReason): { event: ConnectionEvent; text: string; failed: boolean } {
  switch (reason.kind) {
    case 'local':
      return { event: 'closed', text: 'The connection was closed', failed: false };
    case 'remote':
      return { event: 'lost', text: reason.detail ?? 'The peer ended the connection', failed: true };
    case 'exit': {
      const { code, signal, stderr } = reason;
      const how = signal === null ? `with code ${code}` : `on ${signal}`;
      const last = stderr.trim().split('\n').at(-1) ?? '';
      return {
        event: 'exited',
        text: `The process ended ${how}${last === '' ? '' : `: ${last}`}`,
        failed: true,
      };
    }
    case 'error':
      return { event: 'lost', text: reason.error.message, failed: true };
  }
}
