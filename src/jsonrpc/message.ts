/** JSON-RPC 2.0 messages as MCP uses them: ids are strings or integers, params are objects. */

export type RequestId = string | number;

export type JsonObject = { [key: string]: unknown };

export interface Request {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

export interface Notification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: JsonObject;
}

export interface ResultResponse {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: JsonObject;
}

export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The id is absent (or null) when the request it answers could not be read. */
export interface ErrorResponse {
  readonly jsonrpc: '2.0';
  readonly id?: RequestId | null;
  readonly error: ErrorObject;
}

export type Response = ResultResponse | ErrorResponse;
export type Message = Request | Notification | Response;

export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value));
}
