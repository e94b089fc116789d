/**
 * How long a client of several servers waits for those that are not connected yet. One that starts slowly does not
 * keep the client from the others: it joins later, and the client is notified that the lists have changed.
 */

import type { CallContext } from '../server/context.js';
import type { Peer } from '../server/peer.js';
import type { Instance } from './instance.js';
import type { Upstream } from './upstream.js';
import type { Member } from './upstreams.js';

/** How long the others wait for a server that is still starting, once one of them is ready. */
const JOIN_GRACE_MS = 5_000;
/** How long a client waits for the first server to be ready. */
const FIRST_MS = 15_000;

/** Waits for a server alone, because the chain introduces itself with its words; rejects when it cannot be reached. */
export function meetAlone(upstream: Upstream, peer: Peer): Promise<void> | undefined {
  const meeting = upstream.meeting(peer);
  if (meeting === undefined) return undefined;
  const { instance, isOwn } = meeting;
  return instance.open().then(
    () => undefined,
    (error: unknown) => {
      // The client for which it was opened has left, and others still wait.
      if (instance.isClosed && !isOwn) return meetAlone(upstream, peer);
      throw error;
    },
  );
}

/** Opens what is not open. Resolves when all are open or have failed, or when the rest may join later. */
export async function meetServers(instances: readonly Instance[], othersAreReady = false): Promise<void> {
  const closed = instances.filter(({ relay }) => relay === undefined);
  const isReady = othersAreReady || closed.length < instances.length;
  // A client that comes while one is starting does not wait for it from the beginning again.
  const openings = closed.map((instance) => {
    const isLate = isReady && (instance.openingMs ?? 0) >= JOIN_GRACE_MS;
    return isLate ? Promise.resolve() : instance.open();
  });
  await until(openings, isReady);
  for (const instance of closed) instance.awaitLater();
}

/** Those that are connected, or have failed. The others are still starting, and the client hears of them later. */
export async function joined(
  members: readonly Member[],
  ctx: CallContext,
  othersAreReady = false,
): Promise<readonly Member[]> {
  const instances = members.map(({ upstream }) => upstream.forCall(ctx));
  if (instances.every(({ relay }) => relay !== undefined)) return members;
  await meetServers(instances, othersAreReady);
  return members.filter((_, index) => instances[index]?.openingMs === undefined);
}

function until(openings: readonly Promise<unknown>[], isReady: boolean): Promise<void> {
  return new Promise((resolve) => {
    let timer = setTimeout(resolve, isReady ? JOIN_GRACE_MS : FIRST_MS);
    let hasGrace = isReady;
    const first = (): void => {
      if (hasGrace) return;
      hasGrace = true;
      clearTimeout(timer);
      timer = setTimeout(resolve, JOIN_GRACE_MS);
    };
    void Promise.allSettled(openings.map((opening) => opening.then(first))).then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
