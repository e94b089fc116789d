/** `_meta`: what travels beside the payload of a request, a result or a notification. */

import type { RequestId } from '../../jsonrpc/message.js';

/** Open map. Values come from the peer, so they are narrowed before use. */
export type Meta = { [key: string]: unknown };

/** On stateless requests (2026-07-28): the revision this request is written in. */
export const META_PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
/** On stateless requests (2026-07-28): what the client can do for this request. */
export const META_CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
/** On stateless requests (2026-07-28): who the client says it is; unverified. */
export const META_CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
/** On stateless requests (2026-07-28, deprecated there): the least severe log message wanted. */
export const META_LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
/** On stateless results (2026-07-28): who the server says it is; unverified. */
export const META_SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
/** On whatever a listen stream delivers (2026-07-28): the id of the listen request. */
export const META_SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
/** On every message that belongs to a task (2025-11-25 only). */
export const META_RELATED_TASK = 'io.modelcontextprotocol/related-task';
/** On the answer that creates a task (2025-11-25 only): text the model may read while the task runs. */
export const META_MODEL_IMMEDIATE_RESPONSE = 'io.modelcontextprotocol/model-immediate-response';

/**
 * Ours, on results and on the requests after them: the handle of what a server keeps for a client without a session.
 * Behind a gateway each server has one of its own, under this key with a dot and the name of the server.
 */
export const META_SESSION = 'plumb-mcp/session';

/** W3C trace context and baggage, specified since 2026-07-28; the only unprefixed keys besides `progressToken`. */
export const META_TRACEPARENT = 'traceparent';
export const META_TRACESTATE = 'tracestate';
export const META_BAGGAGE = 'baggage';

/** Chosen by the requester, unique among its active requests. A number is an integer. */
export type ProgressToken = string | number;

export type RequestMeta = {
  [key: string]: unknown;
  /** Asks for progress notifications that carry this token. */
  progressToken?: ProgressToken;
  [META_RELATED_TASK]?: RelatedTask;
  [META_TRACEPARENT]?: string;
  [META_TRACESTATE]?: string;
  [META_BAGGAGE]?: string;
};

export type NotificationMeta = {
  [key: string]: unknown;
  [META_SUBSCRIPTION_ID]?: RequestId;
  [META_RELATED_TASK]?: RelatedTask;
};

/** The value at `META_RELATED_TASK`. */
export interface RelatedTask {
  taskId: string;
}
