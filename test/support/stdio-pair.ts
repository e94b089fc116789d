/** A server and a client joined by real pipes with newline framing, in one process so that tests can look inside. */

import { PassThrough } from 'node:stream';
import type { Transport } from 'plumb-mcp/transports';
import { createStdioServerTransport } from '../../src/transports/stdio/server.js';

/** Whatever serves a transport: a server, or a chain. */
interface Connectable {
  connect(transport: Transport): Promise<void>;
}

export async function createStdioPair(server: Connectable): Promise<Transport> {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  await server.connect(
    createStdioServerTransport({ input: toServer, output: toClient, protectStdout: false }),
  );
  // Framing is symmetric: the other end of the pipes is the same transport with input and output exchanged.
  return createStdioServerTransport({ input: toClient, output: toServer, protectStdout: false });
}
