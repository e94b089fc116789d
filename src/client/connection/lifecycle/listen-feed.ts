/**
 * Changes by listen streams. One stream carries all that is wanted; when that changes, the new stream is opened
 * before the old one ends, so that no change falls between them. A stream that the server ends is opened again.
 */

import { isRecord, type RequestId } from '../../../jsonrpc/message.js';
import type { ServerCapabilities } from '../../../protocol/model/capabilities.js';
import type { SubscriptionFilter } from '../../../protocol/model/subscriptions.js';
import { notSupported } from '../../errors.js';
import { lossOf } from '../../recovery/replay.js';
import type { ConnectionOwner } from '../connection.js';
import type { Link } from '../link.js';
import type { ChangeFeed, ClientEra } from './era.js';
import { type ListenEvents, ListenStream } from './listen-stream.js';
import { serial } from './serial.js';

const FIRST_REOPEN_DELAY = 1_000;
const LONGEST_REOPEN_DELAY = 30_000;

const LISTS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;
const CORE_FIELDS: ReadonlySet<string> = new Set([...LISTS, 'resourceSubscriptions']);

export class ListenFeed implements ChangeFeed, ListenEvents {
  readonly #link: Link;
  readonly #era: Pick<ClientEra, 'encode' | 'session'>;
  readonly #owner: ConnectionOwner;
  #current: ListenStream | undefined;
  #opening: { readonly stream: ListenStream; done(): void } | undefined;
  /** The filter that is not served since the server ended its stream. */
  #gap: SubscriptionFilter | undefined;
  #delay = FIRST_REOPEN_DELAY;
  #reopen: ReturnType<typeof setTimeout> | undefined;
  #ended = false;
  readonly #refusals = new Map<string, unknown>();
  readonly sync: () => Promise<void> = serial(() => this.#reconcile());

  constructor(link: Link, era: Pick<ClientEra, 'encode' | 'session'>, owner: ConnectionOwner) {
    this.#link = link;
    this.#era = era;
    this.#owner = owner;
  }

  get streams(): number {
    return (this.#current === undefined ? 0 : 1) + (this.#opening === undefined ? 0 : 1);
  }

  refusal(uri: string): unknown {
    return this.#refusals.get(uri);
  }

  /** Whether a notification with this subscription id comes from a stream of ours that still counts. */
  admits(id: RequestId): boolean {
    return id === this.#current?.id || id === this.#opening?.stream.id;
  }

  acknowledged(id: RequestId, honoured: unknown): void {
    const stream = this.#opening?.stream;
    if (stream === undefined || stream.id !== id) return;
    stream.acknowledged(isRecord(honoured) ? honoured : stream.filter);
  }

  cancelled(id: RequestId): void {
    if (this.#current?.id === id) this.#current.cancelledByServer();
    else if (this.#opening?.stream.id === id) this.#opening.stream.cancelledByServer();
  }

  opened(stream: ListenStream, honoured: SubscriptionFilter): void {
    const opening = this.#opening;
    // In this very turn: whatever the old stream delivers from here on comes on the new one too.
    this.#current?.cancel();
    this.#current = stream;
    this.#opening = undefined;
    this.#delay = FIRST_REOPEN_DELAY;
    this.#noteRefusals(stream.filter, honoured);
    if (this.#gap !== undefined) this.#owner.missed(this.#gap);
    this.#gap = undefined;
    opening?.done();
  }

  ended(stream: ListenStream, error: unknown): void {
    if (stream === this.#opening?.stream) {
      const { done } = this.#opening;
      this.#opening = undefined;
      this.#refuse(
        stream.filter,
        error ?? notSupported('The server ended the subscription immediately', 'see its log'),
      );
      done();
      return;
    }
    if (stream !== this.#current) return;
    this.#current = undefined;
    if (this.#ended || this.#link.ended !== undefined) return;
    this.#gap = stream.filter;
    this.#owner.fault({
      kind: 'subscription',
      message: `The server ended the stream of changes; it is opened again in ${this.#delay} ms`,
      cause: error,
    });
    this.#retryLater();
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#reopen);
    // Who is subscribing hears of an ended connection from the link.
    if (this.#link.ended !== undefined) return;
    // Over HTTP the connection may outlive this way of talking; its streams must not.
    this.#current?.cancel();
    this.#current = undefined;
    const opening = this.#opening;
    this.#opening = undefined;
    opening?.stream.cancel();
    opening?.done();
  }

  async #reconcile(): Promise<void> {
    clearTimeout(this.#reopen);
    const wanted = available(this.#owner.wanted(), this.#era.session.capabilities);
    const uris = new Set(wanted.resourceSubscriptions);
    for (const uri of this.#refusals.keys()) if (!uris.has(uri)) this.#refusals.delete(uri);
    if (this.#ended || sameFilter(wanted, this.#current?.filter ?? {})) return;
    if (sameFilter(wanted, {})) {
      this.#current?.cancel();
      this.#current = undefined;
      return;
    }
    await new Promise<void>((done) => {
      const stream = new ListenStream(this.#link, wanted, this);
      this.#opening = { stream, done };
      stream.open(this.#era, this.#owner.settings.timeout);
    });
  }

  #retryLater(): void {
    this.#reopen = setTimeout(() => {
      void this.sync();
    }, this.#delay);
    this.#delay = Math.min(this.#delay * 2, LONGEST_REOPEN_DELAY);
  }

  /** The acknowledgement leaves out what the server does not support. */
  #noteRefusals(asked: SubscriptionFilter, honoured: SubscriptionFilter): void {
    const uris = new Set(honoured.resourceSubscriptions ?? []);
    for (const uri of asked.resourceSubscriptions ?? []) {
      if (uris.has(uri)) this.#refusals.delete(uri);
      else
        this.#refusals.set(
          uri,
          notSupported(`The server does not report changes of ${uri}`, 'read it again instead'),
        );
    }
    const lists = LISTS.filter((list) => asked[list] === true && honoured[list] !== true);
    if (lists.length > 0) this.#unheard(lists, undefined);
  }

  /** The stream did not open: what an older one does not carry goes unheard. */
  #refuse(asked: SubscriptionFilter, error: unknown): void {
    const carried = this.#current?.filter ?? {};
    const uris = new Set(carried.resourceSubscriptions ?? []);
    for (const uri of asked.resourceSubscriptions ?? []) if (!uris.has(uri)) this.#refusals.set(uri, error);
    if (this.#link.ended !== undefined) return;
    const lists = LISTS.filter((list) => asked[list] === true && carried[list] !== true);
    if (lists.length > 0) this.#unheard(lists, error);
    if (lossOf(error) !== undefined) this.#gap ??= asked;
    if (this.#gap !== undefined) this.#retryLater();
  }

  #unheard(lists: readonly string[], cause: unknown): void {
    const message = `The server does not report ${lists.join(', ')}; list again when in doubt`;
    this.#owner.fault({ kind: 'subscription', message, cause });
  }
}

/** Without what the server says it does not do. */
function available(
  wanted: SubscriptionFilter,
  capabilities: ServerCapabilities | undefined,
): SubscriptionFilter {
  if (capabilities === undefined) return wanted;
  const filter: SubscriptionFilter = extensionFields(wanted);
  if (wanted.toolsListChanged && capabilities.tools?.listChanged) filter.toolsListChanged = true;
  if (wanted.promptsListChanged && capabilities.prompts?.listChanged) filter.promptsListChanged = true;
  if (wanted.resourcesListChanged && capabilities.resources?.listChanged) filter.resourcesListChanged = true;
  if (wanted.resourceSubscriptions !== undefined && capabilities.resources?.subscribe) {
    filter.resourceSubscriptions = wanted.resourceSubscriptions;
  }
  return filter;
}

function sameFilter(one: SubscriptionFilter, other: SubscriptionFilter): boolean {
  const uris = new Set(one.resourceSubscriptions ?? []);
  const others = new Set(other.resourceSubscriptions ?? []);
  return (
    LISTS.every((list) => (one[list] ?? false) === (other[list] ?? false)) &&
    uris.size === others.size &&
    [...uris].every((uri) => others.has(uri)) &&
    JSON.stringify(extensionFields(one)) === JSON.stringify(extensionFields(other))
  );
}

/** What extensions want; whether the server has them was seen to where it was wanted. */
function extensionFields(filter: SubscriptionFilter): SubscriptionFilter {
  return Object.fromEntries(Object.entries(filter).filter(([field]) => !CORE_FIELDS.has(field)));
}
