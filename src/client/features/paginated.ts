/** Lists that come in pages: one page, all of them, or item by item while pages are fetched as needed. */

import { METHOD_NOT_FOUND } from '../../jsonrpc/codes.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { McpError, ProtocolError } from '../../protocol/errors.js';
import type { ServerFeature } from '../connection/capabilities.js';
import type { Core } from '../core.js';
import { invalidResult } from '../errors.js';
import type { CallOptions } from '../options.js';
import { classify } from '../recovery/classify.js';
import { type ListReader, type Page, readPage } from './results.js';

export class PaginatedList<T> implements AsyncIterable<T> {
  readonly #core: Core;
  readonly #feature: ServerFeature;
  readonly #kind: ListReader<T>;
  readonly #seen: ((page: Page<T>) => Page<T>) | undefined;

  /** `seen` gets every page that arrives, and returns what users are to see of it. */
  constructor(core: Core, feature: ServerFeature, kind: ListReader<T>, seen?: (page: Page<T>) => Page<T>) {
    this.#core = core;
    this.#feature = feature;
    this.#kind = kind;
    this.#seen = seen;
  }

  /** One page: the first, or the one that a cursor of the server stands for. */
  async page(cursor?: string, options: CallOptions = {}): Promise<Page<T>> {
    return (await this.#fetch(cursor, options)).page;
  }

  async #fetch(cursor: string | undefined, options: CallOptions): Promise<Fetched<T>> {
    const params: JsonObject = cursor === undefined ? {} : { cursor };
    try {
      return await this.#core.fetch(this.#feature, {
        method: this.#kind.method,
        params,
        options,
        read: (result, _rounds, size) => ({ page: this.#read(result), size }),
      });
    } catch (error) {
      if (cursor === undefined && isMissing(error)) return { page: this.#empty(), size: 0 };
      throw error;
    }
  }

  /** All items of all pages. */
  async list(options: CallOptions = {}): Promise<T[]> {
    try {
      return await this.#collect(options);
    } catch (error) {
      // Cursors of remembered pages may have died since: forget those and begin anew, once.
      const { method } = this.#kind;
      if (classify(method, error) !== 'invalid_cursor' || !this.#core.cache.dropMethod(method)) throw error;
      return this.#collect(options);
    }
  }

  /** Items one by one; a page is fetched when the one before is used up. */
  async *each(options: CallOptions = {}): AsyncGenerator<T, void, undefined> {
    for await (const { page } of this.#pages(options)) yield* page.items;
  }

  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    return this.each();
  }

  async #collect(options: CallOptions): Promise<T[]> {
    const { maxListBytes } = this.#core.settings;
    const items: T[] = [];
    let bytes = 0;
    for await (const { page, size } of this.#pages(options)) {
      bytes += size;
      if (bytes > maxListBytes) throw this.#tooLarge(maxListBytes);
      for (const item of page.items) items.push(item);
    }
    return items;
  }

  async *#pages(options: CallOptions): AsyncGenerator<Fetched<T>, void, undefined> {
    const { maxPages, maxListBytes } = this.#core.settings;
    const cursors = new Set<string>();
    let cursorBytes = 0;
    let cursor: string | undefined;
    for (let count = 1; ; count += 1) {
      if (count > maxPages) throw this.#endless(maxPages);
      const fetched = await this.#fetch(cursor, options);
      yield fetched;
      cursor = fetched.page.nextCursor;
      // An empty cursor is one like any other; only a missing one means the end (pagination).
      if (cursor === undefined) return;
      if (cursors.has(cursor)) {
        throw invalidResult(
          this.#kind.method,
          `the cursor ${JSON.stringify(cursor)} came twice, so the list has no end`,
        );
      }
      cursors.add(cursor);
      // Cursors are kept to notice when one comes back, also by those who keep no items.
      cursorBytes += cursor.length;
      if (cursorBytes > maxListBytes) throw this.#tooLarge(maxListBytes);
    }
  }

  #read(result: JsonObject): Page<T> {
    const page = readPage(this.#kind, result, (message) => this.#core.fault({ kind: 'deviation', message }));
    return this.#seen === undefined ? page : this.#seen(page);
  }

  #empty(): Page<T> {
    const message = `The server declares "${this.#feature}" but does not support ${this.#kind.method}; the list is treated as empty`;
    this.#core.fault({ kind: 'deviation', message });
    return { items: [], nextCursor: undefined };
  }

  #tooLarge(maxListBytes: number): McpError<'list_too_large'> {
    return new McpError(
      'list_too_large',
      `${this.#kind.method} has more than ${maxListBytes} bytes; raise maxListBytes, or iterate and stop when you have enough`,
    );
  }

  #endless(maxPages: number): McpError<'too_many_pages'> {
    return new McpError(
      'too_many_pages',
      `${this.#kind.method} has more than ${maxPages} pages; raise maxPages, or iterate and stop when you have enough`,
    );
  }
}

interface Fetched<T> {
  readonly page: Page<T>;
  /** The length of the message that it came in. */
  readonly size: number;
}

function isMissing(error: unknown): boolean {
  return error instanceof ProtocolError && error.rpcCode === METHOD_NOT_FOUND;
}
