/** A request to the client of a session: it goes out on a stream, and its answer comes with another POST. */

import { decodeText } from '../../jsonrpc/decode.js';
import { encodeNotification, encodeRequest } from '../../jsonrpc/encode.js';
import type { JsonObject, RequestId } from '../../jsonrpc/message.js';
import { McpError, receivedError } from '../../protocol/errors.js';
import type { Store } from '../../store/store.js';

export interface StreamQuestion {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
}

/** Sends a request on a stream of the session; the answer comes with another POST, perhaps to another node. */
export async function askOnStream(
  store: Store,
  sessionId: string,
  send: (text: string) => void,
  { method, params, signal }: StreamQuestion,
): Promise<JsonObject> {
  const id = crypto.randomUUID();
  let settle: ((text: string) => void) | undefined;
  const answer = new Promise<string>((resolve) => {
    settle = resolve;
  });
  const unsubscribe = await store.mailboxes.open(answerBox(sessionId, id), (text) => settle?.(text));
  try {
    send(encodeRequest(id, method, params));
    return readAnswer(method, await untilAborted(answer, signal));
  } catch (error) {
    if (signal.aborted) send(encodeNotification('notifications/cancelled', { requestId: id }));
    throw error;
  } finally {
    await unsubscribe();
  }
}

export function answerBox(session: string, id: RequestId): string {
  return `answer:${session}:${id}`;
}

function readAnswer(method: string, text: string): JsonObject {
  const decoded = decodeText(text);
  if (decoded.kind === 'result') return decoded.message.result;
  if (decoded.kind === 'error') {
    throw new McpError('ask_refused', `The client refused ${method}: ${decoded.error.message}`, {
      cause: receivedError(decoded.error),
    });
  }
  throw new McpError('invalid_answer', `The client's answer to ${method} is malformed`);
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
