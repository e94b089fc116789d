/** An encoded answer, and how errors become one. */

import type { Malformed } from '../jsonrpc/decode.js';
import { encodeError } from '../jsonrpc/encode.js';
import type { RequestId } from '../jsonrpc/message.js';
import { type ProtocolError, UnavailableError } from '../protocol/errors.js';
import { errorFor, type Revision } from '../protocol/revisions/index.js';
import type { PreparedAnswer } from './prepared.js';

/**
 * Why a request was not run: it is `invalid` here, the server is `busy`, or there is no such `method`. Transports with
 * status codes look at it.
 */
export type Refusal = 'invalid' | 'busy' | 'method';

/** An encoded answer. `errorCode` is 0 for results; transports with status codes look at it. */
export interface Reply {
  readonly text: string;
  readonly errorCode: number;
  /** Set where no handler was asked. */
  readonly refusal?: Refusal;
  /** The HTTP status, where it does not follow from the error. */
  readonly status?: number;
  /** The same in parts, where many get this result: transports may send its bytes. */
  readonly prepared?: PreparedAnswer;
}

export function errorReply(revision: Revision, id: RequestId | undefined, error: ProtocolError): Reply {
  const object = errorFor(revision, error);
  if (error instanceof UnavailableError)
    return { text: encodeError(id, object), errorCode: object.code, status: 503 };
  try {
    return { text: encodeError(id, object), errorCode: object.code };
  } catch {
    // The handler's `data` is not JSON (a cycle, a BigInt): the message still arrives.
    const { code, message } = object;
    return { text: encodeError(id, { code, message }), errorCode: code };
  }
}

/** The answer to a request that is not run. */
export function refusedReply(
  revision: Revision,
  id: RequestId | undefined,
  error: ProtocolError,
  refusal: Refusal = 'invalid',
): Reply {
  return { ...errorReply(revision, id, error), refusal };
}

/** The answer to something that is no message, with the id that the revision wants where none was readable. */
export function unreadableReply(
  revision: Revision | undefined,
  { code, reason, id }: Pick<Malformed, 'code' | 'reason' | 'id'>,
): Reply {
  const unknown = revision?.unreadableId === 'null' ? null : undefined;
  return {
    text: encodeError(id ?? unknown, { code, message: reason }),
    errorCode: code,
    refusal: 'invalid',
  };
}
