/** Runs the same tests over every revision and every transport. */

import { type Client, type ConnectOptions, connect, type Target } from 'plumb-mcp/client';
import type { ServerOptions } from 'plumb-mcp/server';
import { describe } from 'vitest';
import { REVISIONS } from '../../src/protocol/revisions/index.js';
import type { Revision } from '../../src/protocol/revisions/revision.js';
import { cleanup } from './cleanup.js';
import { createEverything, type Everything } from './everything.js';
import { createStdioPair } from './stdio-pair.js';

export interface Meeting extends Everything {
  readonly client: Client;
}

export interface Cell {
  readonly revision: Revision;
  readonly transport: TransportName;
  /** A fresh server of the kind in `everything.ts`, and a client connected to it. Both are closed after the test. */
  meet(options?: ConnectOptions, server?: Partial<ServerOptions>): Promise<Meeting>;
}

export type TransportName = 'memory' | 'stdio' | 'http node' | 'http fetch' | 'http+sse';

type Open = (everything: Everything) => Promise<Target>;

const TRANSPORTS: Readonly<Record<TransportName, Open>> = {
  memory: async ({ server }) => server,
  stdio: async ({ server }) => createStdioPair(server),
  'http node': async ({ server }) => ({ url: (await server.http()).url }),
  'http fetch': async ({ server }) => ({
    url: 'http://localhost/mcp',
    fetch: (input: URL | string | Request, init?: RequestInit) => server.fetch(new Request(input, init)),
  }),
  'http+sse': async ({ server }) => ({ url: `${(await server.http({ legacySse: true })).origin}/sse` }),
};

/** The old transport has no place for requests of the stateless era. */
function speaks(transport: TransportName, revision: Revision): boolean {
  return transport !== 'http+sse' || revision.lifecycle === 'handshake';
}

export function describeMatrix(name: string, tests: (cell: Cell) => void): void {
  for (const transport of Object.keys(TRANSPORTS) as TransportName[]) {
    for (const revision of REVISIONS) {
      if (!speaks(transport, revision)) continue;
      describe(`${name} (${revision.version}, ${transport})`, () => {
        tests({
          revision,
          transport,
          meet: async (options = {}, serverOptions = {}) => {
            const everything = createEverything(serverOptions);
            cleanup(() => everything.server.close({ drain: 0 }));
            const target = await TRANSPORTS[transport](everything);
            const client = await connect(target, { revisions: [revision.version], ...options });
            cleanup(() => client.close());
            return { ...everything, client };
          },
        });
      });
    }
  }
}
