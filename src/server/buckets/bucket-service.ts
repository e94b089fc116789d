/**
 * Which bucket a call has. A client with a session has that of its session. One without gets a handle with its result,
 * and brings it with the next call: a secret of 256 bits, from which the key in the store is derived together with the
 * principal. So a handle that was changed, or that another principal brings, leads to no bucket, no node needs a key to
 * check it, and the store never holds it.
 */

import { toBase64Url } from '../../protocol/base64-url.js';
import { milliseconds } from '../../protocol/duration.js';
import { McpError } from '../../protocol/errors.js';
import { createChecker, type SchemaChecker } from '../../protocol/schema/schema.js';
import { byteCount } from '../../protocol/size.js';
import { MemoryLocks, MemoryValues } from '../../store/memory-coordination.js';
import type { Store, Values } from '../../store/store.js';
import type { Peer } from '../peer.js';
import type { Session } from '../session.js';
import {
  type BucketKind,
  type BucketOptions,
  type BucketSettings,
  DEFAULT_SESSION_BUCKET,
  DEFAULT_USER_BUCKET,
} from './bucket.js';
import { BucketShelves } from './bucket-shelves.js';
import type { BucketCall, OpenBucket } from './call-buckets.js';
import { type BucketHost, StoredBucket } from './stored-bucket.js';

export interface BucketServiceOptions {
  readonly session: BucketOptions | undefined;
  readonly user: BucketOptions | undefined;
  /** The store that nodes share, from the moment that there is one. */
  readonly shared: () => Store | undefined;
}

const HANDLE_BYTES = 32;
const HANDLE = /^[A-Za-z0-9_-]{43}$/;

export class BucketService {
  readonly #options: BucketServiceOptions;
  readonly #turns = new MemoryLocks();
  readonly #schemas: Readonly<Record<BucketKind, ReadonlyMap<string, SchemaChecker> | undefined>>;
  /** Names for sessions that live with their connection. */
  readonly #connections = new WeakMap<Peer, string>();
  #memory: Values | undefined;
  #hosts: { readonly of: Values; readonly session: BucketHost; readonly user: BucketHost } | undefined;

  constructor(options: BucketServiceOptions) {
    this.#options = options;
    this.#schemas = { session: checkersOf(options.session), user: checkersOf(options.user) };
  }

  open(kind: BucketKind, call: BucketCall, handle: string | undefined): Promise<OpenBucket> {
    return kind === 'session' ? this.#session(call, handle) : this.#user(call);
  }

  /** The session is over, and so is its bucket. */
  async ended(session: Session | string): Promise<void> {
    const host = this.#host('session');
    const name =
      typeof session === 'string' ? session : (session.sessionId ?? this.#connections.get(session));
    if (name === undefined) return;
    const key = await keyOf('session', name);
    await host.values.delete(key);
    await host.shelves.remove(key, typeof session === 'string' ? undefined : session.account);
  }

  async #session(call: BucketCall, given: string | undefined): Promise<OpenBucket> {
    const host = this.#host('session');
    const { peer } = call;
    const { principal } = call.caller;
    const name = this.#nameOf(peer);
    if (name !== undefined) {
      // Whoever a middleware says is calling does not see what another one kept in the same session.
      const key = await keyOf('session', name, principal === peer.principal ? undefined : principal);
      return new StoredBucket(host, { key, account: peer.account, handle: undefined, isKnown: true });
    }
    if (given !== undefined && HANDLE.test(given)) {
      const key = await keyOf('handle', given, principal);
      if ((await host.values.get(key)) !== undefined)
        return new StoredBucket(host, { key, account: peer.account, handle: given, isKnown: true });
    }
    // Never one that the client chose: it may have been given to it by somebody who knows it.
    const handle = toBase64Url(crypto.getRandomValues(new Uint8Array(HANDLE_BYTES)));
    const key = await keyOf('handle', handle, principal);
    return new StoredBucket(host, { key, account: peer.account, handle, isKnown: false });
  }

  async #user({ caller, isLocal }: BucketCall): Promise<OpenBucket> {
    const { principal } = caller;
    if (principal === undefined && !isLocal)
      throw new McpError(
        'no_principal',
        'ctx.user needs to know who is calling, and this client has no principal; give `http.auth`, or a middleware that passes on a caller with a principal',
      );
    const key = await keyOf('user', principal ?? '');
    return new StoredBucket(this.#host('user'), {
      key,
      account: undefined,
      handle: undefined,
      isKnown: true,
    });
  }

  /** What the client's session is known by; undefined where it has none. */
  #nameOf(peer: Peer): string | undefined {
    if (peer.revision.lifecycle !== 'handshake' || peer.passing === true) return undefined;
    if (peer.sessionId !== undefined) return peer.sessionId;
    const name = this.#connections.get(peer) ?? crypto.randomUUID();
    this.#connections.set(peer, name);
    return name;
  }

  #host(kind: BucketKind): BucketHost {
    const now = this.#options.session?.now ?? Date.now;
    const shared = this.#options.shared()?.values;
    if (shared === undefined) this.#memory ??= new MemoryValues({ now });
    const values = shared ?? this.#memory ?? new MemoryValues({ now });
    if (this.#hosts?.of !== values)
      this.#hosts = {
        of: values,
        session: this.#createHost('session', values, DEFAULT_SESSION_BUCKET),
        user: this.#createHost('user', values, DEFAULT_USER_BUCKET),
      };
    return this.#hosts[kind];
  }

  #createHost(kind: BucketKind, values: Values, defaults: BucketSettings): BucketHost {
    const options = this.#options[kind] ?? {};
    const settings: BucketSettings = {
      ttl: options.ttl === undefined ? defaults.ttl : milliseconds(options.ttl),
      maxEntries: options.maxEntries ?? defaults.maxEntries,
      maxBytes: options.maxBytes === undefined ? defaults.maxBytes : byteCount(options.maxBytes),
      max: options.max ?? defaults.max,
      maxPerPeer: options.maxPerPeer ?? defaults.maxPerPeer,
    };
    const now = options.now ?? Date.now;
    const turns = this.#turns;
    const shelves = new BucketShelves(`buckets:${kind}`, { values, turns, settings, now });
    return { kind, values, turns, settings, schemas: this.#schemas[kind], shelves, now };
  }
}

function checkersOf(options: BucketOptions | undefined): ReadonlyMap<string, SchemaChecker> | undefined {
  if (options?.values === undefined) return undefined;
  return new Map(Object.entries(options.values).map(([key, schema]) => [key, createChecker(schema)]));
}

async function keyOf(kind: BucketKind | 'handle', name: string, principal?: string): Promise<string> {
  const text = JSON.stringify([kind, name, principal ?? null]);
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `bucket:${toBase64Url(new Uint8Array(hash))}`;
}
