/** A client and a server of any two revisions, with a chain between them. */

import { type Chain, type ChainOptions, createChain, type Destination } from 'plumb-mcp/chain';
import { type Client, type ConnectOptions, connect, type Target } from 'plumb-mcp/client';
import type { UpstreamOptions } from '../../src/chain/upstream-options.js';
import { REVISIONS } from '../../src/protocol/revisions/index.js';
import type { Revision } from '../../src/protocol/revisions/revision.js';
import { createEverything, type Everything } from './everything.js';
import { createStdioPair } from './stdio-pair.js';

export interface Bridge extends Everything {
  readonly client: Client;
  readonly chain: Chain;
  /** Another client of the same chain. */
  join(options?: ConnectOptions): Promise<Client>;
}

export type Side = 'memory' | 'stdio' | 'http' | 'sse';

export interface BridgeOptions {
  readonly clientRevision: Revision;
  readonly serverRevision: Revision;
  readonly upstream?: Side;
  readonly downstream?: Side;
  readonly connect?: ConnectOptions;
  readonly chain?: ChainOptions;
  readonly options?: UpstreamOptions;
}

/** The old transport has no place for requests of the stateless era. */
export function speaks(side: Side, revision: Revision): boolean {
  return side !== 'sse' || revision.lifecycle === 'handshake';
}

export const PAIRS: readonly { client: Revision; server: Revision }[] = REVISIONS.flatMap((client) =>
  REVISIONS.map((server) => ({ client, server })),
);

export class Bridges {
  readonly #cleanups: (() => Promise<unknown>)[] = [];

  async open(options: BridgeOptions): Promise<Bridge> {
    const { clientRevision, serverRevision, upstream = 'memory', downstream = 'memory' } = options;
    const everything = createEverything({ revisions: [serverRevision.version] });
    this.#cleanups.push(() => everything.server.close({ drain: 0 }));
    const behind = await upstreamTarget(everything, upstream, options.options ?? {});
    const built = createChain({ onError: () => undefined, ...options.chain }).to(behind);
    this.#cleanups.push(() => built.close({ drain: 0 }));
    const join = async (more: ConnectOptions = {}): Promise<Client> => {
      const client = await connect(await downstreamTarget(built, downstream), {
        revisions: [clientRevision.version],
        ...options.connect,
        ...more,
      });
      this.#cleanups.push(() => client.close());
      return client;
    };
    return { ...everything, chain: built, client: await join(), join };
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) await cleanup();
  }
}

async function upstreamTarget(
  { server }: Everything,
  side: Side,
  options: UpstreamOptions,
): Promise<Destination> {
  switch (side) {
    case 'memory':
      return { server, ...options };
    case 'stdio':
      return { server: { transport: () => createStdioPair(server) }, ...options };
    case 'http':
      return { url: (await server.http()).url, ...options };
    case 'sse':
      return { url: `${(await server.http({ legacySse: true })).origin}/sse`, ...options };
  }
}

async function downstreamTarget(built: Chain, side: Side): Promise<Target> {
  switch (side) {
    case 'memory':
      return built;
    case 'stdio':
      return createStdioPair(built);
    case 'http':
      return { url: (await built.http()).url };
    case 'sse':
      return { url: `${(await built.http({ legacySse: true })).origin}/sse` };
  }
}
