/** JSON-RPC 2.0, and nothing else. */
export { type Decoded, decodeText } from './decode.js';
export { encodeMessage } from './encode.js';
export type { JsonObject, Message, RequestId } from './message.js';
