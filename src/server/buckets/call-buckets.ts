/** The buckets of one call. What keeps them is loaded when a handler first uses one. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Caller } from '../../middleware/compose.js';
import { META_SESSION } from '../../protocol/model/meta.js';
import type { Peer } from '../peer.js';
import type { Bucket, BucketKind } from './bucket.js';

/** The call that a bucket is opened for. */
export interface BucketCall {
  readonly peer: Peer;
  /** As middleware has left it. */
  readonly caller: Caller;
  readonly params: JsonObject;
  /** Whether its client is the process itself, or the one that started it. */
  readonly isLocal: boolean;
  /** A promise of ours that the handler awaits: not something that it does itself. */
  follow(promise: Promise<unknown>): void;
}

/** A bucket of the store, and the handle by which a client without a session gets it again. */
export interface OpenBucket extends Bucket {
  readonly handle: string | undefined;
}

/** `handle` is what the client, or an earlier run of the call, brought. */
export type BucketOpener = (
  kind: BucketKind,
  call: BucketCall,
  handle: string | undefined,
) => Promise<OpenBucket>;

export class CallBuckets {
  readonly session: Bucket;
  readonly user: Bucket;
  readonly #session: CallBucket;

  /** `handle`: what an earlier run of the same call left. */
  constructor(call: BucketCall, open: BucketOpener, handle: string | undefined) {
    this.#session = new CallBucket(call, () => open('session', call, handle ?? givenHandle(call.params)));
    this.session = this.#session;
    this.user = new CallBucket(call, () => open('user', call, undefined));
  }

  /** What the result has to carry, so that the client can come back to the session's bucket. */
  get handle(): string | undefined {
    return this.#session.handle;
  }
}

class CallBucket implements Bucket {
  readonly #call: BucketCall;
  readonly #open: () => Promise<OpenBucket>;
  #opening: Promise<OpenBucket> | undefined;
  #opened: OpenBucket | undefined;

  constructor(call: BucketCall, open: () => Promise<OpenBucket>) {
    this.#call = call;
    this.#open = open;
  }

  get handle(): string | undefined {
    return this.#opened?.handle;
  }

  get(key: string): Promise<unknown> {
    return this.#repeatable((bucket) => bucket.get(key));
  }

  entries(): Promise<Record<string, unknown>> {
    return this.#repeatable((bucket) => bucket.entries());
  }

  set(key: string, value: unknown): Promise<void> {
    return this.#repeatable((bucket) => bucket.set(key, value));
  }

  /** A handler that starts over does this again. */
  update(key: string, change: (current: unknown) => unknown): Promise<unknown> {
    return this.#with((bucket) => bucket.update(key, change));
  }

  delete(key: string): Promise<void> {
    return this.#repeatable((bucket) => bucket.delete(key));
  }

  clear(): Promise<void> {
    return this.#repeatable((bucket) => bucket.clear());
  }

  #repeatable<T>(run: (bucket: OpenBucket) => Promise<T>): Promise<T> {
    const done = this.#with(run);
    this.#call.follow(done);
    return done;
  }

  async #with<T>(run: (bucket: OpenBucket) => Promise<T>): Promise<T> {
    this.#opening ??= this.#open();
    this.#opened = await this.#opening;
    return run(this.#opened);
  }
}

function givenHandle({ _meta }: JsonObject): string | undefined {
  const handle = isRecord(_meta) ? _meta[META_SESSION] : undefined;
  return typeof handle === 'string' ? handle : undefined;
}

/**
 * The result with the handle of the session's bucket. It is for this client alone, so no cache may share the result.
 */
export function withHandle(result: JsonObject, handle: string): JsonObject {
  const meta = { ...(isRecord(result._meta) ? result._meta : {}), [META_SESSION]: handle };
  return result.cacheScope === 'public'
    ? { ...result, cacheScope: 'private', _meta: meta }
    : { ...result, _meta: meta };
}
