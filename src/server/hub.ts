/** Fan-out of changes (lists, resources) to listeners, in both eras. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { ListKind } from '../protocol/list-kind.js';
import type { LogLevel } from '../protocol/model/logging.js';
import type { Store } from '../store/store.js';
import { isLogLevel } from './peer.js';
import type { Session } from './session.js';

/** Something that every client may have to hear of, on whichever node it is; or one session, where it is named. */
export type Announcement = {
  readonly session?: string;
} & (
  | { readonly type: 'list'; readonly kind: ListKind }
  /** `subscribed` is what a client has to be subscribed to, where that is something else. */
  | { readonly type: 'resource'; readonly uri: string; readonly subscribed?: string }
  | { readonly type: 'log'; readonly level: LogLevel; readonly params: JsonObject }
  | { readonly type: 'message'; readonly method: string; readonly params: JsonObject }
  /** For listen streams with this key in this field of their filter; without a method, they look for themselves. */
  | {
      readonly type: 'extension';
      readonly field: string;
      readonly key: string;
      readonly method?: string;
      readonly params?: JsonObject;
    }
);

export type ExtensionAnnouncement = Extract<Announcement, { type: 'extension' }>;

/** The way to the other nodes. */
export interface NodeRelay {
  readonly store: Store;
  publish(announcement: Announcement): void;
  /** Resolves when what was published so far is where every node finds it; undefined when it already is. */
  published(): Promise<void> | undefined;
  /** Resolves when this node hears what is published; undefined when it already does. */
  listening(): Promise<void> | undefined;
}

export interface Listener {
  /** The handshake client behind it, where there is one. */
  readonly session?: Session;
  /** Puts a question to that client outside of its calls. */
  ask?(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  wantsList(kind: ListKind): boolean;
  wantsResource(uri: string): boolean;
  /** Whether log messages that belong to no call are delivered. */
  wantsLog(level: LogLevel): boolean;
  deliver(method: string, params: JsonObject): void;
  /** Takes an announcement of an extension, if its filter has the key. */
  heardExtension?(announcement: ExtensionAnnouncement): void;
  /** What it wants may have changed unnoticed, on another node. */
  refresh?: () => void;
  /** Takes over an announcement that came from the relay, where more is needed than to deliver it. */
  hear?: (announcement: Announcement, change: string) => void;
  /** The resources that it is subscribed to, where they can be listed. */
  resources(): Iterable<string>;
}

export interface SessionListener extends Listener {
  readonly session: Session;
}

function isSessionListener(listener: Listener): listener is SessionListener {
  return listener.session !== undefined;
}

function everybody(): boolean {
  return true;
}

/** Called when a session begins to listen here, changes its filter, or stops listening. */
export type SessionWatcher = (session: Session) => void;

export class ChangeHub {
  readonly #listeners = new Set<Listener>();
  #watcher: SessionWatcher | undefined;
  readonly #changed = new Set<ListKind>();
  readonly #waiters = new Set<() => void>();
  #relay: NodeRelay | undefined;
  #onShared: ((store: Store) => void) | undefined;

  get size(): number {
    return this.#listeners.size;
  }

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    for (const waiter of [...this.#waiters]) waiter();
    if (listener.session !== undefined) this.changed(listener.session);
    return () => {
      this.#listeners.delete(listener);
      if (listener.session !== undefined) this.changed(listener.session);
    };
  }

  watchSessions(watcher: SessionWatcher): void {
    this.#watcher = watcher;
  }

  /** What a session wants to hear of may be something else now. */
  changed(session: Session): void {
    this.#watcher?.(session);
  }

  /** From now on announcements go to all nodes that share the store. */
  relayBy(relay: NodeRelay): void {
    if (this.#relay !== undefined) throw new TypeError('A server has one shared store; give the same one');
    this.#relay = relay;
    this.#onShared?.(relay.store);
  }

  /** Called once this server shares a store with other nodes. */
  whenShared(attach: (store: Store) => void): void {
    this.#onShared = attach;
  }

  /** The store over which announcements go, where they do. */
  get relayStore(): Store | undefined {
    return this.#relay?.store;
  }

  /** To be awaited before a client's listen request is acknowledged. */
  listening(): Promise<void> | undefined {
    return this.#relay?.listening();
  }

  /** Notifies every client of the service: of this node, and of other nodes where there are any. */
  announce(announcement: Announcement): void {
    if (this.#relay === undefined) this.spread(announcement);
    else this.#relay.publish(announcement);
  }

  /**
   * To be awaited before a call is answered: what it announced is then known to every node, and a client that has the
   * answer can rely on it. Undefined where there is nothing to wait for.
   */
  announced(): Promise<void> | undefined {
    if (this.#relay === undefined) return undefined;
    if (this.#changed.size > 0) this.#flush();
    return this.#relay.published();
  }

  /** Notifies the clients of this node. `change` names the announcement where it came from the relay. */
  spread(announcement: Announcement, change?: string): void {
    for (const listener of this.#listeners) {
      if (change !== undefined && listener.hear !== undefined) listener.hear(announcement, change);
      else tell(listener, announcement);
    }
  }

  /** What sessions changed on other nodes may have gone unnoticed here. */
  refresh(): void {
    for (const listener of this.#listeners) listener.refresh?.();
  }

  /** Announcements were lost: the listeners of this node are notified of every list and resource. */
  spreadAll(): void {
    for (const listener of this.#listeners) tellAll(listener);
  }

  /** Announces a changed list, once for all changes of the same tick. */
  listChanged(kind: ListKind): void {
    if (this.#listeners.size === 0 && this.#relay === undefined) return;
    if (this.#changed.size === 0) queueMicrotask(() => this.#flush());
    this.#changed.add(kind);
  }

  /** `subscribed` is what a client has to be subscribed to; `concerns` leaves out those with another server behind. */
  resourceUpdated(
    uri: string,
    subscribed: string = uri,
    concerns: (session: Session | undefined) => boolean = everybody,
  ): void {
    for (const listener of this.#listeners) {
      if (listener.wantsResource(subscribed) && concerns(listener.session))
        listener.deliver('notifications/resources/updated', { uri });
    }
  }

  /** The handshake clients that can be notified at this moment. */
  sessions(): SessionListener[] {
    return [...this.#listeners].filter(isSessionListener);
  }

  /** The way to a session, as soon as there is one. */
  reach(isMeant: (session: Session) => boolean, signal: AbortSignal): Promise<SessionListener> {
    return new Promise((resolve, reject) => {
      const look = (): boolean => {
        const found = this.sessions().find(({ session }) => isMeant(session));
        if (found === undefined) return false;
        end();
        resolve(found);
        return true;
      };
      const abort = (): void => {
        end();
        reject(signal.reason);
      };
      const end = (): void => {
        this.#waiters.delete(look);
        signal.removeEventListener('abort', abort);
      };
      if (look()) return;
      this.#waiters.add(look);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  #flush(): void {
    const kinds = [...this.#changed];
    this.#changed.clear();
    for (const kind of kinds) this.announce({ type: 'list', kind });
  }
}

/** Delivers it if the listener wants to hear of it. */
export function tell(listener: Listener, announcement: Announcement): void {
  if (announcement.session !== undefined && listener.session?.sessionId !== announcement.session) return;
  switch (announcement.type) {
    case 'list':
      if (listener.wantsList(announcement.kind))
        listener.deliver(`notifications/${announcement.kind}/list_changed`, {});
      return;
    case 'resource':
      if (listener.wantsResource(announcement.subscribed ?? announcement.uri))
        listener.deliver('notifications/resources/updated', { uri: announcement.uri });
      return;
    case 'log':
      if (listener.wantsLog(announcement.level))
        listener.deliver('notifications/message', announcement.params);
      return;
    case 'extension':
      listener.heardExtension?.(announcement);
      return;
    case 'message':
      if (listener.session?.ready === true) listener.deliver(announcement.method, announcement.params);
  }
}

/** Notifications of changes only say "look again", so one too many does no harm. */
export function tellAll(listener: Listener): void {
  for (const kind of ['tools', 'prompts', 'resources'] as const) tell(listener, { type: 'list', kind });
  for (const uri of listener.resources()) tell(listener, { type: 'resource', uri });
}

const LISTS: ReadonlySet<unknown> = new Set(['tools', 'prompts', 'resources']);

/** Undefined for what a newer node may say and this one does not understand. */
export function parseAnnouncement(text: string): Announcement | undefined {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) return undefined;
  const { type, kind, uri, level, method, params } = value;
  const to = typeof value.session === 'string' ? { session: value.session } : {};
  if (type === 'list' && isListKind(kind)) return { type, kind, ...to };
  if (type === 'resource' && typeof uri === 'string') {
    const { subscribed } = value;
    return { type, uri, ...(typeof subscribed === 'string' ? { subscribed } : {}), ...to };
  }
  if (type === 'log' && isLogLevel(level) && isRecord(params)) return { type, level, params, ...to };
  if (type === 'message' && typeof method === 'string' && isRecord(params))
    return { type, method, params, ...to };
  const { field, key } = value;
  if (type === 'extension' && typeof field === 'string' && typeof key === 'string')
    return typeof method === 'string' && isRecord(params)
      ? { type, field, key, method, params }
      : { type, field, key };
  return undefined;
}

function isListKind(kind: unknown): kind is ListKind {
  return LISTS.has(kind);
}
