/** Serves one client on stdin and stdout, and ends the process with it. */

import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import { createStdioServerTransport, type StdioServerTransportOptions } from '../transports/stdio/server.js';
import type { Transport } from '../transports/transport.js';
import { Connection, type ConnectionIdentity } from './connection.js';
import type { ServerHost } from './host.js';

export interface StdioServeOptions extends StdioServerTransportOptions {
  /** Whether the process ends after its client has gone, whatever else still runs. */
  readonly exit?: boolean | undefined;
}

/** For the commands that show traffic. */
export interface TappedStdioOptions extends StdioServeOptions {
  /** Puts another transport in front of this one: it sees every message, and hands it on. */
  readonly tap?: ((transport: Transport) => Transport) | undefined;
}

const STDIO_OPTIONS: OptionNames<TappedStdioOptions> = {
  exit: true,
  tap: true,
  input: true,
  output: true,
  protectStdout: true,
  maxLineBytes: true,
  maxQueueBytes: true,
};

export interface StdioHost {
  readonly host: ServerHost;
  /** The open connections of the server. */
  readonly connections: Set<Connection>;
  /** Throws when something cannot be served. */
  starting(): void;
  /** Requests are traced from then on. */
  readonly traced: Promise<void> | undefined;
}

/** The client on stdio started us. */
const LOCAL: ConnectionIdentity = { principal: undefined, isLocal: true };

/** Time for what still runs after the client has gone. */
const EXIT_GRACE_MS = 2000;

/** Resolves when the client has gone. */
export async function serveStdio(options: TappedStdioOptions, server: StdioHost): Promise<void> {
  assertOptionNames('stdio', options, STDIO_OPTIONS);
  server.starting();
  await server.traced;
  const { exit = true, tap, ...transportOptions } = options;
  const opened = createStdioServerTransport(transportOptions);
  const transport = tap?.(opened) ?? opened;
  await new Promise<void>((resolve, reject) => {
    const connection = new Connection(
      server.host,
      transport,
      () => {
        server.connections.delete(connection);
        resolve();
      },
      LOCAL,
    );
    server.connections.add(connection);
    transport.start(connection).catch(reject);
  });
  if (exit) setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
}
