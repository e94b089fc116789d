import type { Batch, Decoded } from '../../src/jsonrpc/decode.js';
import type { CloseReason, Receiver, TransportFault } from '../../src/transports/transport.js';

export interface Recorder extends Receiver {
  readonly messages: (Decoded | Batch)[];
  readonly texts: string[];
  readonly faults: TransportFault[];
  readonly reasons: CloseReason[];
  /** Resolves with the reason when the connection has ended. */
  readonly closing: Promise<CloseReason>;
  /** Resolves when this many messages have arrived. */
  until(messages: number): Promise<void>;
  /** Resolves with the first fault. */
  readonly faulted: Promise<TransportFault>;
}

/** A receiver that keeps what it gets, so that tests wait on events and never on time. */
export function recorder(options: { onMessage?: (text: string) => void } = {}): Recorder {
  const messages: (Decoded | Batch)[] = [];
  const texts: string[] = [];
  const faults: TransportFault[] = [];
  const reasons: CloseReason[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let onClosed: (reason: CloseReason) => void = () => {};
  let onFault: (fault: TransportFault) => void = () => {};
  const closing = new Promise<CloseReason>((resolve) => {
    onClosed = resolve;
  });
  const faulted = new Promise<TransportFault>((resolve) => {
    onFault = resolve;
  });
  return {
    messages,
    texts,
    faults,
    reasons,
    closing,
    faulted,
    message(decoded, text) {
      messages.push(decoded);
      texts.push(text);
      for (const { count, resolve } of waiting) if (messages.length >= count) resolve();
      options.onMessage?.(text);
    },
    fault(fault) {
      faults.push(fault);
      onFault(fault);
    },
    closed(reason) {
      reasons.push(reason);
      onClosed(reason);
    },
    until(count) {
      if (messages.length >= count) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ count, resolve }));
    },
  };
}
