/** Nodes of one service, each with its own connections to one Redis, as processes would have. */

import { createRedisStore, type Store } from '../../src/store/index.js';
import type { RedisStoreOptions } from '../../src/store/redis-options.js';
import type { HttpAnswer } from './http-answer.js';
import { SessionPeer } from './http-peer.js';
import { createFixture, type Fixture } from './http-server.js';
import type { HttpCall, HttpTarget, Start } from './http-target.js';

export interface Node extends Fixture {
  readonly store: Store;
  readonly target: HttpTarget;
}

export interface Nodes {
  readonly first: Node;
  readonly second: Node;
  /** From now on requests go to this node. */
  use(node: 0 | 1): void;
  readonly sender: { send(call: HttpCall): Promise<HttpAnswer> };
  open(capabilities?: Record<string, object>): Promise<SessionPeer>;
  close(): Promise<void>;
}

let services = 0;

export async function startNodes(
  start: Start,
  redis: { readonly url: string },
  options: RedisStoreOptions = {},
): Promise<Nodes> {
  services += 1;
  const prefix = `service${services}`;
  const node = async (): Promise<Node> => {
    const store = await createRedisStore(redis.url, { prefix, ...options });
    const requestState = { keys: [Buffer.alloc(32, services).toString('base64url')] };
    const fixture = createFixture({ http: { store }, requestState });
    return { ...fixture, store, target: await start(fixture.server) };
  };
  const nodes = [await node(), await node()] as const;
  let current: 0 | 1 = 0;
  const sender = { send: (call: HttpCall) => nodes[current].target.send(call) };
  return {
    first: nodes[0],
    second: nodes[1],
    sender,
    use: (chosen) => {
      current = chosen;
    },
    open: (capabilities = { roots: {}, elicitation: {}, sampling: {} }) =>
      SessionPeer.open(sender, '2025-11-25', { capabilities }),
    close: async () => {
      await Promise.all(nodes.map(({ server }) => server.close({ drain: 0 })));
      await Promise.all(nodes.map(({ store }) => store.close()));
    },
  };
}
