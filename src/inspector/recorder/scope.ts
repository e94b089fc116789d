/**
 * Which call a message is sent for, where the code that sends it runs inside of that call: what a chain sends upstream
 * is sent while it handles a request of its client.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

export class CallScope {
  #group: number | undefined;
  readonly #method: string | undefined;

  /** With a method only requests of that method are the call: a client may have to ask for lists before. */
  constructor({
    group,
    method,
  }: { readonly group?: number | undefined; readonly method?: string | undefined }) {
    this.#group = group;
    this.#method = method;
  }

  get group(): number | undefined {
    return this.#group;
  }

  includes(method: string): boolean {
    return this.#method === undefined || this.#method === method;
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
