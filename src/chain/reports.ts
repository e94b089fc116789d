/** What is wrong with a server's lists, reported once and not with every list. */

import { McpError } from '../protocol/errors.js';

/** A server that keeps inventing new faults must not fill the memory; beyond this many it is begun anew. */
const MAX_REPORTED = 1000;

export class ListReports {
  readonly #onError: (error: unknown, method: string) => void;
  readonly #reported = new Set<string>();

  constructor(onError: (error: unknown, method: string) => void) {
    this.#onError = onError;
  }

  /** An entry was mended, or left out. */
  deviation(server: string, method: string, what: string): void {
    if (!this.#isNew(`${server} ${method} ${what}`)) return;
    const message = `The server "${server}" violates the protocol in ${method}: ${what}`;
    this.#onError(new McpError('invalid_list', message), method);
  }

  /** Left out, so that the others need not wait. */
  late(server: string, method: string): void {
    if (!this.#isNew(`${server} ${method} late`)) return;
    const message = `The server "${server}" has not answered ${method} in time; its entries are added to the list when it does`;
    this.#onError(new McpError('late_list', message), method);
  }

  /** Names or URIs that a server before it, or an entry before, has taken. */
  taken(server: string, method: string, keys: readonly string[], by: string): void {
    const fresh = keys.filter((key) => this.#isNew(`${server} ${method} ${key} taken`));
    if (fresh.length === 0) return;
    const advice = method.startsWith('resources/')
      ? 'set priority or exclude to choose'
      : 'set prefix, rename, priority or exclude to choose';
    const message = `The server "${server}" has ${shortened(fresh)} in ${method}, which "${by}" has too; clients see only that of "${by}"; ${advice}`;
    this.#onError(new McpError('name_taken', message), method);
  }

  #isNew(key: string): boolean {
    if (this.#reported.has(key)) return false;
    if (this.#reported.size >= MAX_REPORTED) this.#reported.clear();
    this.#reported.add(key);
    return true;
  }
}

const MOST_NAMED = 5;

function shortened(keys: readonly string[]): string {
  const named = keys.slice(0, MOST_NAMED).map((key) => JSON.stringify(key));
  const more = keys.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}
