/** Transports that run anywhere. Stdio is in `./stdio/index.js`, so that no browser or edge runtime loads Node. */
export { TransportError, type TransportErrorCode } from './errors.js';
export { createHttpTransport, type HttpTransportOptions } from './http/client/transport.js';
export { createMemoryPair } from './memory.js';
export type { CloseReason, Receiver, SendOptions, Transport, TransportFault } from './transport.js';
