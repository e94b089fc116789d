/** One server of the chain, with as many connections as its isolation asks for. */

import type { Relay } from '../client/relay.js';
import type { Target } from '../client/target.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Implementation } from '../protocol/model/base.js';
import type { ClientCapabilities, ServerCapabilities } from '../protocol/model/capabilities.js';
import type { CallContext } from '../server/context.js';
import type { Peer } from '../server/peer.js';
import { Instance, type InstanceEvents, type InstanceOptions } from './instance.js';
import type { NamingRules } from './namespace.js';

export type Isolation = 'shared' | 'session' | 'principal';

export interface UpstreamOptions extends NamingRules {
  /** Who shares a connection (and so a process): everybody, the calls of a session, or those of a principal. */
  readonly isolate?: Isolation;
  /** Protocol revisions to use upstream; all of them by default. */
  readonly revisions?: readonly string[];
  /** How long a call may take without progress, in milliseconds. */
  readonly timeout?: number;
  /** How long the server may take to start, in milliseconds. */
  readonly initTimeout?: number;
  /** Headers, credentials and fetch for servers behind a URL. */
  readonly headers?: InstanceOptions['headers'];
  readonly auth?: InstanceOptions['auth'];
  readonly fetch?: InstanceOptions['fetch'];
}

/** What is known of a server since it was last connected. */
export interface Acquaintance {
  readonly info: Implementation | undefined;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
}

export interface Health {
  readonly name: string;
  readonly state: 'idle' | 'open' | 'failing';
  readonly connections: number;
  readonly revision: string | undefined;
  readonly lastError: string | undefined;
}

/** Declared where the server serves many clients: whoever cannot answer is found out when it is asked. */
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

/** A connection of its own that nobody has used for this long is closed; the next call opens another. */
const IDLE_MS = 10 * 60_000;

export class Upstream {
  readonly name: string;
  readonly options: UpstreamOptions;
  readonly target: Target;
  readonly #events: InstanceEvents;
  readonly #shared: Instance;
  readonly #own = new Map<unknown, Owned>();
  #known: Acquaintance | undefined;

  constructor(name: string, target: Target, options: UpstreamOptions, events: InstanceEvents) {
    this.name = name;
    this.target = target;
    this.options = options;
    this.#events = {
      ...events,
      connected: (instance, relay) => {
        this.#meet(relay);
        events.connected(instance, relay);
      },
    };
    this.#shared = this.#create(EVERYTHING, false);
  }

  get known(): Acquaintance | undefined {
    return this.#known;
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

  /** The connection for calls of this client. */
  instanceFor(peer: Peer): Instance {
    const key = this.#keyOf(peer);
    if (key === undefined) return this.#shared;
    let owned = this.#own.get(key);
    if (owned === undefined) {
      const capabilities = this.options.isolate === 'session' ? peer.capabilities : EVERYTHING;
      owned = new Owned(this.#create(capabilities, this.options.isolate === 'session'));
      this.#own.set(key, owned);
    }
    owned.used(() => this.#release(key));
    return owned.instance;
  }

  forCall(ctx: CallContext): Instance {
    return this.instanceFor(ctx.peer);
  }

  /** The session that alone uses this connection; undefined for a connection that is shared. */
  ownerOf(instance: Instance): unknown {
    for (const [key, owned] of this.#own) if (owned.instance === instance) return key;
    return undefined;
  }

  /** Tells every open connection. */
  notify(method: string, params: JsonObject, key: unknown): void {
    const own = this.#own.get(key)?.instance;
    const instances = own === undefined ? [this.#shared] : [own];
    for (const { relay } of instances) {
      if (relay?.revision.lifecycle !== 'handshake') continue;
      relay.client.notify(method, params).catch((error: unknown) => this.#events.failed(error));
    }
  }

  ended(session: unknown): void {
    if (this.options.isolate === 'session') this.#release(session);
  }

  async close(): Promise<void> {
    for (const owned of this.#own.values()) owned.stop();
    await Promise.all(this.#instances().map((instance) => instance.close()));
    this.#own.clear();
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
        if (peer.sessionId !== undefined) return peer.sessionId;
        // Without sessions the most that tells clients apart is who they are.
        return peer.revision.lifecycle === 'handshake' ? peer : peer.principal;
    }
  }

  #release(key: unknown): void {
    const owned = this.#own.get(key);
    if (owned === undefined) return;
    this.#own.delete(key);
    owned.stop();
    owned.instance.close().catch((error: unknown) => this.#events.failed(error));
  }

  #create(capabilities: ClientCapabilities, exclusive: boolean): Instance {
    const { revisions, timeout, initTimeout, headers, auth, fetch } = this.options;
    return new Instance(
      {
        name: this.name,
        target: this.target,
        exclusive,
        capabilities,
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

  #meet({ client, isDeclared }: Relay): void {
    this.#known = {
      info: client.server,
      instructions: client.instructions,
      capabilities: isDeclared ? client.capabilities : ANYTHING,
    };
  }
}

class Owned {
  readonly instance: Instance;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(instance: Instance) {
    this.instance = instance;
  }

  used(expired: () => void): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      if (this.instance.running.size > 0) this.used(expired);
      else expired();
    }, IDLE_MS);
    if (typeof this.#idle === 'object') this.#idle.unref();
  }

  stop(): void {
    clearTimeout(this.#idle);
  }
}
