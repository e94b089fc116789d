/** One server of the chain, with as many connections as its isolation asks for. */

import type { Relay } from '../client/relay.js';
import { isProgram, type Target } from '../client/target.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Implementation } from '../protocol/model/base.js';
import type {
  ClientCapabilities,
  NamedSettings,
  ServerCapabilities,
} from '../protocol/model/capabilities.js';
import type { Revision } from '../protocol/revisions/index.js';
import type { CallContext } from '../server/context.js';
import type { Peer } from '../server/peer.js';
import { Instance, type InstanceEvents } from './instance.js';
import { LockGuard } from './lock/guard.js';
import { Owned } from './owned.js';
import { allInUse, DEFAULT_MAX_PROCESSES, ProcessSlots } from './process-slots.js';
import { passedCapabilities } from './served.js';
import { StartAttempts } from './start-attempts.js';
import { sameTarget, sameValue } from './targets.js';
import type { UpstreamOptions } from './upstream-options.js';

/** What is known of a server since it was last connected. */
export interface Acquaintance {
  readonly info: Implementation | undefined;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  /** Each request carries the identity and the capabilities of its client. */
  readonly perRequest: boolean;
  /** The form of tasks that its revision has. */
  readonly tasks: Revision['tasks'];
}

/** A connection that a client waits for when it comes. */
export interface Meeting {
  readonly instance: Instance;
  /** False when it was opened for another client, and may end with that one. */
  readonly isOwn: boolean;
}

export interface Health {
  readonly name: string;
  readonly state: 'idle' | 'open' | 'failing';
  readonly connections: number;
  readonly revision: string | undefined;
  readonly lastError: string | undefined;
}

/** Declared where the server serves many clients: a client that cannot answer is refused when it is asked. */
const EVERYTHING: ClientCapabilities = {
  roots: { listChanged: true },
  sampling: { tools: {}, context: {} },
  elicitation: { form: {}, url: {} },
};

/** A server of which nothing is known may have anything. */
const ANYTHING: ServerCapabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

const LIST_KINDS = ['tools', 'prompts', 'resources'] as const;
const MAX_KINDS = 64;
const MAX_KIND_LENGTH = 16 * 1024;

/** A process that was idle for this long is ended for a caller that waits for one. */
const REST_MS = 15_000;

export class Upstream {
  readonly name: string;
  readonly options: UpstreamOptions;
  readonly target: Target;
  readonly #events: InstanceEvents;
  readonly #declared: ClientCapabilities;
  readonly #attempts: StartAttempts;
  readonly #shared: Instance;
  readonly #own = new Map<unknown, Owned>();
  /** The first connection of each principal that has no session. */
  readonly #firstKind = new Map<string | undefined, string>();
  /** Connections that are being closed while the others go on. */
  readonly #leaving = new Set<Promise<void>>();
  readonly #slots: ProcessSlots | undefined;
  /** Where it has a lock. */
  readonly guard: LockGuard | undefined;
  /** The first connection to a server of which nothing is known. */
  #meeting: Instance | undefined;
  #known: Acquaintance | undefined;

  /** `extensions` is what is declared where one connection is for all clients. */
  constructor(
    name: string,
    target: Target,
    options: UpstreamOptions,
    events: InstanceEvents,
    extensions?: NamedSettings,
  ) {
    this.name = name;
    this.#declared = extensions === undefined ? EVERYTHING : { ...EVERYTHING, extensions };
    this.target = target;
    this.options = options;
    this.#attempts = new StartAttempts(isProgram(target));
    this.#events = {
      ...events,
      connected: (instance, relay, completes) => {
        this.#meet(relay, completes);
        events.connected(instance, relay, completes);
      },
    };
    const max = maxProcesses(target, options);
    if (max !== undefined) {
      const makeRoom = (count: number): number => this.#makeRoom(count);
      this.#slots = new ProcessSlots({ max, makeRoom, refusal: () => allInUse(name, max) });
    }
    this.guard = this.#guarded(events);
    this.#shared = this.#create(this.#declared, false);
  }

  #guarded({ happened, changed }: InstanceEvents): LockGuard | undefined {
    const { lock, onDrift = 'block' } = this.options;
    if (lock === undefined) return undefined;
    const blocked = (): void => {
      for (const instance of this.#instances()) this.#track(instance.suspend());
      for (const kind of LIST_KINDS) changed(this.#shared, kind);
    };
    return new LockGuard({ server: this.name, lock, onDrift, happened, blocked });
  }

  get known(): Acquaintance | undefined {
    return this.#known;
  }

  /** Whether its connections, and their answers, belong to one session or principal. */
  get isIsolated(): boolean {
    return this.options.isolate === 'session' || this.options.isolate === 'principal';
  }

  get capabilities(): ServerCapabilities {
    return this.#known?.capabilities ?? ANYTHING;
  }

  get health(): Health {
    const instances = this.#instances();
    const open = instances.filter(({ relay }) => relay !== undefined);
    const failed = instances.find(({ lastError }) => lastError !== undefined)?.lastError;
    return {
      name: this.name,
      state: open.length > 0 ? 'open' : failed === undefined ? 'idle' : 'failing',
      connections: open.length,
      revision: open[0]?.relay?.revision.version,
      lastError: failed instanceof Error ? failed.message : undefined,
    };
  }

  /** Whether it is connected, for whichever client. */
  get isOpen(): boolean {
    return this.#instances().some(({ relay }) => relay !== undefined);
  }

  /** Whether this is one of its connections. */
  has(instance: Instance): boolean {
    return this.#instances().includes(instance);
  }

  /** The connection for calls of this client. */
  instanceFor(peer: Peer): Instance {
    const key = this.#keyOf(peer);
    if (key === undefined) return this.#shared;
    const owned = this.#ownedBy(key, peer);
    // Other keys are connections, and those that end are reported.
    if (typeof key === 'string') owned.used(() => this.#expired(key, owned));
    else owned.used();
    return owned.instance;
  }

  /**
   * The connection that has to be opened for a client that has just come, because its `initialize` result has
   * the server's capabilities. It costs a client nothing to come, so it gets a process of its own with its
   * first call; until then what is known has to do, and of a server of which nothing is known one process is
   * started for all who come.
   */
  meeting(peer: Peer): Meeting | undefined {
    if (!this.isIsolated)
      return this.#shared.relay === undefined ? { instance: this.#shared, isOwn: true } : undefined;
    if (this.#known !== undefined) return undefined;
    const key = this.#keyOf(peer);
    if (this.#meeting === undefined || this.#meeting.isClosed) {
      const owned = key === undefined ? undefined : this.#ownedBy(key, peer);
      if (typeof key === 'string' && owned !== undefined) owned.expires(() => this.#expired(key, owned));
      this.#meeting = owned?.instance ?? this.#shared;
    }
    const instance = this.#meeting;
    return { instance, isOwn: this.ownerOf(instance) === key };
  }

  /** The connection by which tasks of other nodes can be gone on with: a server behind a URL, which all clients share. */
  get resumable(): Instance | undefined {
    return this.isIsolated || !this.#shared.isRemote ? undefined : this.#shared;
  }

  forCall(ctx: CallContext): Instance {
    return this.instanceFor(ctx.peer);
  }

  /** The id of the session that this connection is for, where it has one. */
  sessionOf(instance: Instance): string | undefined {
    for (const owned of this.#own.values()) if (owned.instance === instance) return owned.session;
    return undefined;
  }

  /** The session that alone uses this connection; undefined for a connection that is shared. */
  ownerOf(instance: Instance): unknown {
    for (const [key, owned] of this.#own) if (owned.instance === instance) return key;
    return undefined;
  }

  /** Forwards a client's notification, where a connection is open. */
  notify(method: string, params: JsonObject, peer: Peer): void {
    const { relay } = this.#own.get(this.#keyOf(peer))?.instance ?? this.#shared;
    if (relay?.revision.lifecycle !== 'handshake') return;
    relay.client.notify(method, params).catch((error: unknown) => this.#events.failed(error));
  }

  /** Whether this is what was configured: then it can stay when the configuration is read again. */
  isSame(name: string, target: Target, options: UpstreamOptions): boolean {
    return name === this.name && sameValue(options, this.options) && sameTarget(target, this.target);
  }

  /** There is a reason to believe that it can be started now. */
  retry(): void {
    this.#attempts.reset();
    this.guard?.reset();
  }

  ended(session: unknown): void {
    if (this.options.isolate === 'session') this.#release(session);
  }

  get isIdle(): boolean {
    return this.#instances().every(({ running }) => running.size === 0);
  }

  /** Lets running calls finish within the limit, then closes. */
  async drain(withinMs: number): Promise<void> {
    await Promise.all(this.#instances().map((instance) => instance.whenIdle(withinMs)));
    await this.close();
  }

  async close(): Promise<void> {
    for (const owned of this.#own.values()) owned.stop();
    await Promise.all([...this.#instances().map((instance) => instance.close()), ...this.#leaving]);
    this.#own.clear();
    this.#firstKind.clear();
  }

  #instances(): Instance[] {
    return [this.#shared, ...[...this.#own.values()].map(({ instance }) => instance)];
  }

  #keyOf(peer: Peer): unknown {
    switch (this.options.isolate ?? 'shared') {
      case 'shared':
        return undefined;
      case 'principal':
        return peer.principal;
      case 'session':
        return isConnection(peer) ? peer : (peer.sessionId ?? this.#kindOf(peer));
    }
  }

  /**
   * Without sessions, clients differ by their identity and capabilities: a server that gets them
   * once, when it is connected to, goes by the latter.
   */
  #kindOf({ principal, capabilities }: Peer): string | undefined {
    const known = this.#known?.perRequest === true ? this.#firstKind.get(principal) : undefined;
    if (known !== undefined && this.#own.has(known)) return known;
    const key = `stateless ${JSON.stringify([principal, capabilities])}`;
    // Both come from outside; beyond this many, or where they say more than any client does, they share a connection.
    if (key.length > MAX_KIND_LENGTH) return undefined;
    if (!this.#own.has(key) && this.#own.size >= MAX_KINDS) return undefined;
    if (!this.#firstKind.has(principal)) this.#firstKind.set(principal, key);
    return key;
  }

  #ownedBy(key: unknown, peer: Peer): Owned {
    const known = this.#own.get(key);
    if (known !== undefined) return known;
    const perSession = this.options.isolate === 'session';
    const capabilities = perSession ? passedCapabilities(peer.capabilities) : this.#declared;
    // Without sessions several clients may look the same, so it does not belong to one of them.
    const exclusive = perSession && (isConnection(peer) || peer.sessionId !== undefined);
    const owned = new Owned(
      this.#create(capabilities, exclusive, this.#slots),
      perSession ? peer.sessionId : undefined,
    );
    this.#own.set(key, owned);
    return owned;
  }

  /** A session lasts while it has no process; of other clients nothing is heard when they are gone. */
  #expired(key: string, owned: Owned): void {
    if (owned.session === undefined) this.#release(key);
    else this.#track(owned.instance.suspend());
  }

  /** Ends processes that are out of use, the longest unused first; returns how many. */
  #makeRoom(count: number): number {
    const before = performance.now() - REST_MS;
    const resting = [...this.#own.values()]
      .map((owned) => ({ owned, since: owned.unusedSince }))
      .filter(({ since }) => since !== undefined && since <= before)
      .sort((one, other) => (one.since ?? 0) - (other.since ?? 0))
      .slice(0, count);
    for (const { owned } of resting) this.#track(owned.instance.suspend());
    return resting.length;
  }

  #track(closing: Promise<void>): void {
    const tracked = closing
      .catch((error: unknown) => this.#events.failed(error))
      .finally(() => this.#leaving.delete(tracked));
    this.#leaving.add(tracked);
  }

  #release(key: unknown): void {
    const owned = this.#own.get(key);
    if (owned === undefined) return;
    this.#own.delete(key);
    for (const [principal, first] of this.#firstKind) if (first === key) this.#firstKind.delete(principal);
    owned.stop();
    this.#track(owned.instance.close());
  }

  #create(capabilities: ClientCapabilities, exclusive: boolean, slots?: ProcessSlots): Instance {
    const { revisions, timeout, initTimeout, headers, auth, fetch } = this.options;
    return new Instance(
      {
        name: this.name,
        target: this.target,
        attempts: this.#attempts,
        exclusive,
        capabilities,
        slots,
        guard: this.guard,
        ...(revisions === undefined ? {} : { revisions }),
        ...(timeout === undefined ? {} : { timeout }),
        ...(initTimeout === undefined ? {} : { initTimeout }),
        ...(headers === undefined ? {} : { headers }),
        ...(auth === undefined ? {} : { auth }),
        ...(fetch === undefined ? {} : { fetch }),
      },
      this.#events,
    );
  }

  #meet({ client, revision, isDeclared }: Relay, completes: boolean): void {
    const declared = isDeclared ? client.capabilities : ANYTHING;
    const capabilities = completes ? { ...declared, completions: {} } : declared;
    const { lifecycle, tasks } = revision;
    const perRequest = lifecycle === 'stateless';
    const { server: info, instructions } = client;
    this.#known = { info, instructions, capabilities, perRequest, tasks };
  }
}

/** A client that is there until its connection ends, and no more than one for each connection. */
function isConnection({ revision, sessionId, passing }: Peer): boolean {
  return revision.lifecycle === 'handshake' && sessionId === undefined && passing !== true;
}

/** How many connections of its own an isolated server may have; undefined where there is no limit. */
function maxProcesses(target: Target, { maxProcesses: given }: UpstreamOptions): number | undefined {
  const isCommand = typeof target === 'object' && 'command' in target;
  return given ?? (isCommand ? DEFAULT_MAX_PROCESSES : undefined);
}
