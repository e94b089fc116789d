/**
 * Which call a message is sent for, where the code that sends it runs inside of that call: what a chain sends upstream
 * is sent while it handles a request of its client.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

export class CallScope {
  #group: number | undefined;

  constructor(group?: number) {
    this.#group = group;
  }

  get group(): number | undefined {
    return this.#group;
  }

  joined(group: number): void {
    this.#group ??= group;
  }

  run<T>(work: () => T): T {
    return scopes.run(this, work);
  }
}

const scopes = new AsyncLocalStorage<CallScope>();

export function callScope(): CallScope | undefined {
  return scopes.getStore();
}
