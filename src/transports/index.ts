/** Transports that run anywhere. Stdio is in `./stdio/index.js`, so that no browser or edge runtime loads Node. */
export { TransportError } from './errors.js';
export { createHttpTransport } from './http/client/transport.js';
export { createMemoryPair } from './memory.js';
export type { CloseReason, Receiver, Transport } from './transport.js';
