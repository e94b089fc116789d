/** Servers of the official SDK in this process, as targets. */

import type { Target, TransportSource } from '../../client/target.js';
import { decodeText } from '../../jsonrpc/decode.js';
import { encodeMessage } from '../../jsonrpc/encode.js';
import type { Message } from '../../jsonrpc/message.js';
import { createMemoryPair } from '../../transports/memory.js';
import type { Transport } from '../../transports/transport.js';

/** What the SDK calls a transport, as far as its servers use it. */
interface SdkTransport {
  onmessage?: ((message: unknown, extra?: unknown) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
}

/** `McpServer` or `Server` of the official SDK. */
export interface SdkServer {
  connect(transport: never): Promise<void>;
}

export type TestTarget = Target | SdkServer;

export function targetOf(server: TestTarget): Target {
  return isSdkServer(server) ? sdkSource(server) : server;
}

function isSdkServer(server: TestTarget): server is SdkServer {
  return (
    typeof server === 'object' &&
    'connect' in server &&
    typeof server.connect === 'function' &&
    !('transport' in server && typeof server.transport === 'function')
  );
}

/** Each connection of a server of the SDK needs an instance of its own: this one can be opened once. */
function sdkSource(server: SdkServer): TransportSource {
  return {
    transport: async () => {
      const [ours, theirs] = createMemoryPair();
      const connect: (transport: never) => Promise<void> = server.connect.bind(server);
      await Reflect.apply(connect, undefined, [new SdkPort(theirs)]);
      return ours;
    },
  };
}

class SdkPort implements SdkTransport {
  onmessage?: ((message: unknown, extra?: unknown) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  readonly #inner: Transport;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  start(): Promise<void> {
    return this.#inner.start({
      message: (_decoded, text) => {
        const value: unknown = JSON.parse(text);
        this.onmessage?.(value);
      },
      fault: ({ message }) => this.onerror?.(new Error(message)),
      closed: () => this.onclose?.(),
    });
  }

  async send(message: unknown): Promise<void> {
    const text = JSON.stringify(message);
    const decoded = decodeText(text);
    if (Array.isArray(decoded)) throw new TypeError('Batches are not sent by servers');
    await this.#inner.send(text);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

/** For callers that have a message rather than its text. */
export function textOfMessage(message: Message | string): string {
  return typeof message === 'string' ? message : encodeMessage(message);
}
