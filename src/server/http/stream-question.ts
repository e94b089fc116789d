/** A request to the client of a session: it goes out on a stream, and its answer comes with another POST. */

import { decodeText } from '../../jsonrpc/decode.js';
import { encodeNotification, encodeRequest } from '../../jsonrpc/encode.js';
import type { JsonObject, RequestId } from '../../jsonrpc/message.js';
import { abortableQuestion } from '../../protocol/abortable.js';
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
  const question = abortableQuestion<string>(signal);
  // The box may take longer to open than the call lasts.
  question.answer.catch(() => undefined);
  const unsubscribe = await store.mailboxes.open(answerBox(sessionId, id), question.resolve);
  try {
    send(encodeRequest(id, method, params));
    return readAnswer(method, await question.answer);
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
