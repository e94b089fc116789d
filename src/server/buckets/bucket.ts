/** Values that a server keeps between calls: what handlers see of them, and what bounds them. */

import type { Duration } from '../../protocol/duration.js';
import type { AnySchema, InferOutput } from '../../protocol/schema/infer.js';
import type { Size } from '../../protocol/size.js';

/**
 * A small store of JSON values: `ctx.session` has one for each session, `ctx.user` one for each principal. It expires
 * when it is not used.
 */
export interface Bucket<Values extends object = Record<string, unknown>> {
  get<Key extends keyof Values & string>(key: Key): Promise<Values[Key] | undefined>;
  /** All values, by key. */
  entries(): Promise<Partial<Values>>;
  /** The value is JSON; it is checked where the options have a schema for its key. */
  set<Key extends keyof Values & string>(key: Key, value: Values[Key]): Promise<void>;
  /**
   * Replaces the value by what `change` makes of it, and returns that. No other change comes between. `change` may run
   * several times, so it only computes; where it returns undefined, the value is deleted.
   *
   * @example const visits = await ctx.session.update('visits', (count = 0) => count + 1);
   */
  update<Key extends keyof Values & string>(
    key: Key,
    change: (current: Values[Key] | undefined) => Values[Key] | undefined,
  ): Promise<Values[Key] | undefined>;
  delete(key: keyof Values & string): Promise<void>;
  clear(): Promise<void>;
}

/** Schemas of values, by key. With these, other keys do not exist. */
export type BucketSchemas = { readonly [key: string]: AnySchema };

/** What is kept for a session or a user, for how long, and how much of it. */
export interface BucketOptions<Schemas extends BucketSchemas = BucketSchemas> {
  /** What may be kept, by key: values are checked when they are written, and typed in handlers. Default: anything. */
  readonly values?: Schemas | undefined;
  /** How long a bucket is kept after it was last used. Default: an hour for sessions, 30 days for users. */
  readonly ttl?: Duration | undefined;
  /** Keys in one bucket. Default: 64. */
  readonly maxEntries?: number | undefined;
  /** Bytes of one bucket as JSON. Default: 16 KB. */
  readonly maxBytes?: Size | undefined;
  /** Buckets that are kept. Default: 10,000. */
  readonly max?: number | undefined;
  /** Those of one principal, or of one address without a principal. Default: 1,000; a user has one. */
  readonly maxPerPeer?: number | undefined;
  /** The clock. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

export interface BucketSettings {
  readonly ttl: number;
  readonly maxEntries: number;
  readonly maxBytes: number;
  readonly max: number;
  readonly maxPerPeer: number;
}

const HOUR = 60 * 60 * 1000;

export const DEFAULT_SESSION_BUCKET: BucketSettings = {
  ttl: HOUR,
  maxEntries: 64,
  maxBytes: 16 * 1024,
  max: 10_000,
  maxPerPeer: 1_000,
};

export const DEFAULT_USER_BUCKET: BucketSettings = { ...DEFAULT_SESSION_BUCKET, ttl: 30 * 24 * HOUR };

/** The values of both buckets of a server, as its handlers know them. */
export interface KeptValues {
  readonly session: object;
  readonly user: object;
}

/** Without schemas: anything. */
export interface AnyKeptValues extends KeptValues {
  readonly session: Record<string, unknown>;
  readonly user: Record<string, unknown>;
}

/** The values that schemas describe. */
export type BucketValues<Schemas extends BucketSchemas> = string extends keyof Schemas
  ? Record<string, unknown>
  : { -readonly [Key in keyof Schemas]: InferOutput<Schemas[Key]> };

export type BucketKind = keyof KeptValues;
