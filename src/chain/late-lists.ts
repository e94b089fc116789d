/**
 * Lists that a server has not given in time. One server that hangs must not keep the lists of all others from clients:
 * its entries are left out, nothing more is asked of it until it has answered, and then clients are notified.
 */

import type { Instance } from './instance.js';

/** How long the lists of the other servers wait for a late one. */
const PATIENCE_MS = 10_000;
/** For so long a list that came late stands in for a new one: clients were just notified, and ask again. */
const FRESH_MS = 30_000;

interface Late<List> {
  /** Undefined while it is awaited. */
  list: List | undefined;
  expiry: ReturnType<typeof setTimeout> | undefined;
}

export class LateLists<List> {
  readonly #late = new WeakMap<Instance, Map<string, Late<List>>>();
  readonly #dropped: (list: List) => void;

  /** `dropped` gets the lists that arrived late and were not used. */
  constructor(dropped: (list: List) => void) {
    this.#dropped = dropped;
  }

  isAwaited(instance: Instance, method: string): boolean {
    const late = this.#late.get(instance)?.get(method);
    return late !== undefined && late.list === undefined;
  }

  /** The list that came late, once. */
  take(instance: Instance, method: string): List | undefined {
    const late = this.#late.get(instance)?.get(method);
    if (late?.list === undefined) return undefined;
    clearTimeout(late.expiry);
    this.#late.get(instance)?.delete(method);
    return late.list;
  }

  expect(
    instance: Instance,
    method: string,
    list: Promise<List>,
    arrived: (list: List) => void,
    failed: (error: unknown) => void,
  ): void {
    // Two clients may have asked at the same time; one answer is enough.
    if (this.isAwaited(instance, method)) {
      list.then(this.#dropped, failed);
      return;
    }
    const lists = this.#late.get(instance) ?? new Map<string, Late<List>>();
    this.#late.set(instance, lists);
    const late: Late<List> = { list: undefined, expiry: undefined };
    lists.set(method, late);
    list.then(
      (value) => {
        late.list = value;
        late.expiry = setTimeout(() => {
          lists.delete(method);
          this.#dropped(value);
        }, FRESH_MS);
        if (typeof late.expiry === 'object') late.expiry.unref();
        arrived(value);
      },
      (error: unknown) => {
        lists.delete(method);
        failed(error);
      },
    );
  }
}

export type Settled<T> = PromiseSettledResult<T> | undefined;

/** How each of them ended; undefined for what is late. At least one is waited for, however long it takes. */
export async function settleInTime<T>(promises: readonly Promise<T>[]): Promise<Settled<T>[]> {
  const settled: Settled<T>[] = promises.map(() => undefined);
  const noted = promises.map((promise, index) =>
    promise.then(
      (value) => {
        settled[index] = { status: 'fulfilled', value };
      },
      (reason: unknown) => {
        settled[index] = { status: 'rejected', reason };
      },
    ),
  );
  const all = Promise.all(noted);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([all, patience]);
  clearTimeout(timer);
  if (!settled.some((outcome) => outcome?.status === 'fulfilled')) {
    await Promise.race([
      all,
      Promise.any(promises).then(
        () => undefined,
        () => undefined,
      ),
    ]);
  }
  return settled;
}
