/**
 * One bucket in the store: a text that is replaced as a whole, and only over what it was made from, so that changes of
 * several nodes are never lost.
 */

import { isRecord } from '../../jsonrpc/message.js';
import { McpError } from '../../protocol/errors.js';
import { describeIssues, type SchemaChecker } from '../../protocol/schema/schema.js';
import type { Locks, Values } from '../../store/store.js';
import type { BucketKind, BucketSettings } from './bucket.js';
import type { BucketShelves } from './bucket-shelves.js';
import type { OpenBucket } from './call-buckets.js';

/** What buckets of one kind have in common. */
export interface BucketHost {
  readonly kind: BucketKind;
  readonly values: Values;
  /** Changes of this process come one after the other. */
  readonly turns: Locks;
  readonly settings: BucketSettings;
  /** By key, where the author has said what may be kept. */
  readonly schemas: ReadonlyMap<string, SchemaChecker> | undefined;
  readonly shelves: BucketShelves;
  readonly now: () => number;
}

export interface BucketPlace {
  /** Its key in the store. */
  readonly key: string;
  /** Whose share of the buckets it takes. */
  readonly account: string | undefined;
  readonly handle: string | undefined;
  /** Whether it was there when the call began. */
  readonly isKnown: boolean;
}

interface BucketRecord {
  readonly at: number;
  /** A later call has come back to it. */
  readonly again: boolean;
  readonly values: ReadonlyMap<string, unknown>;
}

type Edit = (values: Map<string, unknown>) => unknown;

/** Other nodes change it each time that we try to. */
const MAX_ATTEMPTS = 64;
const MAX_KEY_CHARACTERS = 256;

export class StoredBucket implements OpenBucket {
  readonly #host: BucketHost;
  readonly #place: BucketPlace;
  #handle: string | undefined;
  #renewed = false;

  constructor(host: BucketHost, place: BucketPlace) {
    this.#host = host;
    this.#place = place;
    this.#handle = place.isKnown ? place.handle : undefined;
  }

  /** A bucket that was only read, and found to be empty, is not there. */
  get handle(): string | undefined {
    return this.#handle;
  }

  async get(key: string): Promise<unknown> {
    this.#assertKey(key);
    return (await this.#read()).get(key);
  }

  async entries(): Promise<Record<string, unknown>> {
    return Object.fromEntries(await this.#read());
  }

  async set(key: string, value: unknown): Promise<void> {
    if (value === undefined) return this.delete(key);
    const kept = await this.#checked(key, value);
    await this.#change((values) => values.set(key, kept));
  }

  async update(key: string, change: (current: unknown) => unknown): Promise<unknown> {
    this.#assertKey(key);
    let made: unknown;
    await this.#change(async (values) => {
      const next = change(structuredClone(values.get(key)));
      if (next instanceof Promise)
        throw new TypeError(
          `ctx.${this.#host.kind}: update("${key}") needs a function that returns the value, and not a promise`,
        );
      made = next === undefined ? undefined : await this.#checked(key, next);
      if (made === undefined) values.delete(key);
      else values.set(key, made);
    });
    return made;
  }

  async delete(key: string): Promise<void> {
    this.#assertKey(key);
    await this.#change((values) => values.delete(key));
  }

  async clear(): Promise<void> {
    await this.#change((values) => values.clear());
  }

  async #read(): Promise<ReadonlyMap<string, unknown>> {
    const text = await this.#host.values.get(this.#place.key);
    if (text === undefined) return new Map();
    const record = parseRecord(text);
    if (!this.#renewed && this.#isAging(record)) {
      this.#renewed = true;
      await this.#change(() => {}, true);
    }
    return record.values;
  }

  /** Whether it has to be noted that a later call has come back to it. */
  #isAging({ at, again }: BucketRecord): boolean {
    return this.#place.isKnown && (!again || this.#host.now() - at > this.#host.settings.ttl / 4);
  }

  #change(edit: Edit, renewing = false): Promise<void> {
    return this.#host.turns.run(this.#place.key, () => this.#replace(edit, renewing));
  }

  async #replace(edit: Edit, renewing: boolean): Promise<void> {
    const { values: store, settings, now, shelves } = this.#host;
    const { key, account } = this.#place;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const before = await store.get(key);
      const record = before === undefined ? undefined : parseRecord(before);
      const values = new Map(record?.values);
      await edit(values);
      const isSame = same(values, record?.values);
      if (isSame && (record === undefined || !renewing)) return;
      this.#assertRoom(values);
      const isAging = record !== undefined && this.#isAging(record);
      // When it was last listed as used, and not when it was last written.
      const at = record === undefined || isAging ? now() : record.at;
      const text = writeRecord({ at, again: isAging || record?.again === true, values });
      if ((await store.claim(key, text, settings.ttl, before)) !== text) continue;
      this.#handle = this.#place.handle;
      if (record === undefined) await shelves.add(key, account);
      else if (isAging) await shelves.touch(key, account);
      return;
    }
    throw this.#contended();
  }

  async #checked(key: string, value: unknown): Promise<unknown> {
    this.#assertKey(key);
    const checked = (await this.#host.schemas?.get(key)?.check(value)) ?? { value };
    if (checked.issues !== undefined)
      throw new TypeError(
        `ctx.${this.#host.kind}: the value of "${key}" is not valid: ${describeIssues(checked.issues)}`,
      );
    return json(this.#host.kind, key, checked.value);
  }

  #assertKey(key: string): void {
    const { kind, schemas } = this.#host;
    if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_CHARACTERS)
      throw new TypeError(`ctx.${kind}: a key is a text of 1 to ${MAX_KEY_CHARACTERS} characters`);
    if (schemas !== undefined && !schemas.has(key)) {
      const known = [...schemas.keys()].join(', ');
      throw new TypeError(`ctx.${kind} has no "${key}"; the option ${kind}.values has ${known || 'nothing'}`);
    }
  }

  #assertRoom(values: ReadonlyMap<string, unknown>): void {
    const { kind, settings } = this.#host;
    const { maxEntries, maxBytes } = settings;
    if (values.size > maxEntries)
      throw new McpError(
        'bucket_full',
        `ctx.${kind} keeps at most ${maxEntries} keys; delete some, or raise ${kind}.maxEntries`,
      );
    const bytes = new TextEncoder().encode(JSON.stringify([...values])).length;
    if (bytes > maxBytes)
      throw new McpError(
        'bucket_full',
        `ctx.${kind} keeps at most ${maxBytes} bytes, and this makes ${bytes}; keep less, or raise ${kind}.maxBytes`,
      );
  }

  #contended(): McpError<'bucket_contended'> {
    const { kind } = this.#host;
    return new McpError(
      'bucket_contended',
      `ctx.${kind} was changed elsewhere ${MAX_ATTEMPTS} times in a row; try the call again`,
    );
  }
}

function json(kind: BucketKind, key: string, value: unknown): unknown {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new TypeError(`ctx.${kind}: the value of "${key}" cannot be written as JSON`, { cause });
  }
  if (text === undefined) throw new TypeError(`ctx.${kind}: the value of "${key}" is not JSON`);
  return JSON.parse(text);
}

function same(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown> | undefined): boolean {
  return JSON.stringify([...one]) === JSON.stringify([...(other ?? [])]);
}

/** The mark makes each writing unique: a node that finds its own text knows that it was the one that wrote it. */
function writeRecord({ at, again, values }: BucketRecord): string {
  return JSON.stringify({ mark: crypto.randomUUID(), at, again, values: [...values] });
}

/** Pairs and not an object, because keys are any text. */
function parseRecord(text: string): BucketRecord {
  const record: unknown = JSON.parse(text);
  if (!isRecord(record) || !Array.isArray(record.values)) throw new Error('The store has no bucket here');
  return { at: Number(record.at), again: record.again === true, values: new Map(record.values) };
}
