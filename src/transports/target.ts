/** What users write to say which server they mean; clients, chains and the validator take the same. */

import type { HttpTransportOptions } from './http/client/transport.js';
import type { StdioTransportOptions } from './stdio/client.js';
import type { Transport } from './transport.js';

/** A program to start and talk to over its standard input and output. */
export interface StdioTarget extends StdioTransportOptions {
  /** Observes the messages: the transport that it returns is used in place of the one it is given. */
  readonly tap?: ((transport: Transport) => Transport) | undefined;
}

/** A server behind a URL, with headers for every request to it. */
export type HttpTarget = HttpTransportOptions;

/** Whatever can give a transport to itself, such as a server in this process. */
export interface TransportSource {
  transport(): Transport | Promise<Transport>;
}

/**
 * A server: its URL, `{ url, headers }`, a program (`{ command: 'node', args: ['server.js'] }`), a server of this process,
 * or a transport.
 */
export type Target = URL | string | StdioTarget | HttpTarget | TransportSource | Transport;
