/** What a transport must know about a message that it sends: whose answer it brings, and what headers it needs. */

import { encodeMessage } from '../../../jsonrpc/encode.js';
import {
  isRecord,
  isRequestId,
  type JsonObject,
  type Message,
  type RequestId,
} from '../../../jsonrpc/message.js';
import { META_PROTOCOL_VERSION } from '../../../protocol/model/meta.js';
import type { SentRequest } from '../../transport.js';

export interface OutgoingMessage {
  readonly text: string;
  /** The requests in it; each expects an answer. */
  readonly ids: readonly RequestId[];
  /** Of a single call; undefined for answers and batches. */
  readonly method: string | undefined;
  readonly params: JsonObject | undefined;
  /** The revision that a stateless message names itself. */
  readonly version: string | undefined;
}

const NO_IDS: readonly RequestId[] = [];

/** `request` is the decoded text, where its writer passed it. */
export function describeOutgoing(message: Message | string, request?: SentRequest): OutgoingMessage {
  if (typeof message !== 'string') return describe(encodeMessage(message), message);
  if (request !== undefined) {
    const { id, method, params, version } = request;
    return { text: message, ids: [id], method, params, version };
  }
  try {
    return describe(message, JSON.parse(message));
  } catch {
    // Tools that test servers send such things on purpose.
    return describe(message, undefined);
  }
}

function describe(text: string, value: unknown): OutgoingMessage {
  if (Array.isArray(value)) {
    const ids = value.flatMap((item: unknown) => idsOf(item));
    return { text, ids, method: undefined, params: undefined, version: undefined };
  }
  if (!isRecord(value) || typeof value.method !== 'string') {
    return { text, ids: NO_IDS, method: undefined, params: undefined, version: undefined };
  }
  const params = isRecord(value.params) ? value.params : undefined;
  const meta = params?._meta;
  const version = isRecord(meta) ? meta[META_PROTOCOL_VERSION] : undefined;
  return {
    text,
    ids: idsOf(value),
    method: value.method,
    params,
    version: typeof version === 'string' ? version : undefined,
  };
}

function idsOf(value: unknown): readonly RequestId[] {
  return isRecord(value) && 'method' in value && isRequestId(value.id) ? [value.id] : NO_IDS;
}
