/** One server that is inspected: its connection, from the client's own state machine, and what is known of it. */

import type { StateChange } from '../../client/connection/driver.js';
import { type Client, connect } from '../../client/index.js';
import type { AskContext } from '../../client/input/asks.js';
import type { LogLevel } from '../../protocol/model/logging.js';
import type { Root } from '../../protocol/model/roots.js';
import { findRevision } from '../../protocol/revisions/index.js';
import { TransportError } from '../../transports/errors.js';
import type {
  CatalogueArea,
  InspectedServerSettings,
  RootsView,
  ServerHealth,
  ServerId,
  ServerSession,
  ServerSource,
  ServerState,
  ServerView,
  TransportName,
} from '../api.js';
import { Throttle } from '../events.js';
import { CommandError, failureOf, needsLogin } from '../failure.js';
import { recorded } from '../recorder/recording-transport.js';
import { DEFAULT_CALL_TIMEOUT_MS } from './calls.js';
import { ConnectionEvents } from './connection-events.js';
import { Faults } from './faults.js';
import type { InspectorRooms } from './rooms.js';
import { shownSettings } from './settings.js';
import { type Entered, Standing } from './standing.js';
import { StderrText } from './stderr-text.js';
import { Subscriptions } from './subscriptions.js';
import { addressOf, type InspectedTarget, openable, startLimit } from './target.js';

export interface NewServer {
  readonly id: ServerId;
  readonly name: string;
  readonly target: InspectedTarget;
  readonly source: ServerSource;
  readonly pinned: string | null;
  readonly settings?: InspectedServerSettings | undefined;
}

/** Attempts in a row, before the first success, after which it is left to the person to try again. */
const MAX_FIRST_RETRIES = 3;
const NO_STATS = { waiting: 0, late: 0, duplicate: 0, unknown: 0, malformed: 0 };
/** What is shown of stderr while a program starts. */
const STARTING_CHARACTERS = 2_000;
const STARTING_MS = 200;
const ROOTS_CHANGED = 'notifications/roots/list_changed';

export class InspectedServer {
  readonly id: ServerId;
  #target: InspectedTarget;
  readonly #rooms: InspectorRooms;
  readonly #source: ServerSource;
  readonly #stderr: StderrText;
  readonly #faults: Faults;
  readonly #events: ConnectionEvents;
  /** Shows what a program prints while it starts. */
  readonly #starting: Throttle = new Throttle(STARTING_MS, () => this.#tell());
  readonly #standing = new Standing();
  readonly #subscriptions: Subscriptions;
  #name: string;
  #pinned: string | null;
  #settings: InspectedServerSettings;
  #client: Client | undefined;
  /** What has to be over before the connection is begun or ended again. */
  #turn: Promise<void> = Promise.resolve();
  #connections = 0;
  #session: ServerSession | undefined;
  #transport: TransportName;
  #everReady = false;
  #retired = false;
  #ping: ServerHealth['ping'];
  #logLevel: LogLevel | null = 'info';
  #roots: RootsView = { roots: [], ask: false };

  constructor({ id, name, target, source, pinned, settings = {} }: NewServer, rooms: InspectorRooms) {
    this.id = id;
    this.#target = target;
    this.#settings = settings;
    this.#rooms = rooms;
    this.#name = name;
    this.#source = source;
    this.#pinned = pinned;
    this.#transport = target.kind === 'command' ? 'stdio' : 'http';
    this.#stderr = new StderrText((text) => rooms.emit({ type: 'stderr', server: id, text }));
    this.#faults = new Faults(() => this.#tell());
    this.#events = new ConnectionEvents(rooms.recording, id, this.#transport);
    this.#subscriptions = new Subscriptions((uri) =>
      rooms.emit({ type: 'resourceUpdated', server: id, uri, at: Date.now() }),
    );
  }

  get target(): InspectedTarget {
    return this.#target;
  }

  get source(): ServerSource {
    return this.#source;
  }

  get pinned(): string | null {
    return this.#pinned;
  }

  get settings(): InspectedServerSettings {
    return this.#settings;
  }

  get callTimeoutMs(): number {
    return this.#settings.callTimeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
  }

  get name(): string {
    return this.#name;
  }

  /** The client, for calls. */
  get client(): Client {
    const client = this.#client;
    if (client !== undefined && client.state === 'ready') return client;
    throw new CommandError(
      409,
      'not_connected',
      `"${this.#name}" is not connected (${this.#standing.state}); connect it first`,
    );
  }

  get stderr(): string {
    return this.#stderr.text;
  }

  view(): ServerView {
    return {
      id: this.id,
      name: this.#name,
      address: addressOf(this.target),
      source: this.#source,
      ...this.#standing.view(),
      pinned: this.#pinned,
      settings: shownSettings(this.#settings),
      ...(this.#standing.state === 'starting' || this.#standing.state === 'initializing'
        ? { starting: this.#stderr.tail(STARTING_CHARACTERS) }
        : {}),
      ...(this.#session === undefined ? {} : { session: this.#session }),
      health: this.#health(),
      subscriptions: this.#subscriptions.uris,
      logLevel: this.#logLevel,
      roots: this.#roots,
    };
  }

  /** Ends what is there, and begins anew. Resolves when that has begun. */
  connect(): Promise<void> {
    return this.#inTurn(() => this.#connect());
  }

  disconnect(): Promise<void> {
    return this.#inTurn(() => this.#disconnect());
  }

  /** One after the other: two clients at a time would be one too many. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #connect(): Promise<void> {
    await this.#disconnect();
    this.#everReady = false;
    this.#standing.forgive();
    const initTimeout = this.#settings.startTimeoutMs ?? startLimit(this.target);
    this.#events.note('connecting', connectingText(this.target));
    const client = await connect(this.#recordedTarget(), {
      ...(initTimeout === undefined ? {} : { initTimeout }),
      name: 'plumb-inspector',
      title: 'Plumb inspector',
      lazy: true,
      telemetry: false,
      // What a server gets wrong is for people to see, not to be kept from them.
      validateOutput: false,
      ...(this.#pinned === null ? {} : { revisions: [this.#pinned] }),
      ...(this.#logLevel === null ? {} : { logLevel: this.#logLevel }),
      elicit: (request, context) => this.#rooms.asks.elicit(this.id, request, context),
      sample: (request, context) => this.#rooms.asks.sample(this.id, request, context),
      sampleTools: true,
      roots: (context) => this.#answerRoots(context),
      onLog: (message) => this.#rooms.logs.message(this.id, message),
      onFault: (fault) => this.#faults.add(fault),
    });
    this.#client = client;
    client.on('state', (change) => this.#changed(client, change));
    client.on('toolsChanged', () => this.#listChanged(['tools']));
    client.on('promptsChanged', () => this.#listChanged(['prompts']));
    client.on('resourcesChanged', () => this.#listChanged(['resources', 'templates', 'skills']));
    this.#enter(client.state);
    if (client.state === 'ready') this.#ready(client);
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#rooms.asks.withdraw(this.id);
    this.#rooms.calls.cancelAll(this.id);
    if (client === undefined) return;
    await client.close();
    this.#enter('closed');
  }

  /** It was removed: nothing that is still under way may bring it back to the pages. */
  retire(): void {
    this.#retired = true;
  }

  rename(name: string): void {
    this.#name = name;
    this.#tell();
  }

  /** Another address, another name, other settings. */
  async change({
    name,
    target,
    pinned,
    settings,
  }: Pick<NewServer, 'name' | 'target' | 'pinned' | 'settings'>): Promise<void> {
    this.#name = name;
    this.#target = target;
    this.#pinned = pinned;
    this.#settings = settings ?? {};
    this.#transport = target.kind === 'command' ? 'stdio' : 'http';
    if (this.#client === undefined) this.#tell();
    else await this.connect();
  }

  async pin(revision: string | null): Promise<void> {
    this.#pinned = revision;
    if (this.#client === undefined) this.#tell();
    else await this.connect();
  }

  async ping(): Promise<void> {
    const { client } = this;
    const at = Date.now();
    const began = performance.now();
    try {
      await client.ping();
      this.#ping = { at, durationMs: performance.now() - began };
    } catch (error) {
      this.#ping = { at, failure: failureOf(error) };
    }
    this.#tell();
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    if (this.#client?.state === 'ready' && this.#client.capabilities.logging !== undefined) {
      await this.#client.logging.setLevel(level);
    }
    this.#logLevel = level;
    this.#tell();
  }

  async setRoots(roots: readonly Root[], ask: boolean): Promise<void> {
    this.#roots = { roots, ask };
    const client = this.#client;
    const known = client?.state === 'ready' ? findRevision(client.revision) : undefined;
    if (known?.clientNotifications.has(ROOTS_CHANGED) === true) await client?.notify(ROOTS_CHANGED);
    this.#tell();
  }

  async subscribe(uri: string): Promise<void> {
    await this.#subscriptions.add(this.client, uri);
    this.#tell();
  }

  async unsubscribe(uri: string): Promise<void> {
    await this.#subscriptions.remove(uri);
    this.#tell();
  }

  #recordedTarget(): ReturnType<typeof recorded> {
    const { recording, auth, logs } = this.#rooms;
    const onStderr = (line: string): void => {
      this.#stderr.line(line);
      if (!this.#everReady) this.#starting.request();
      this.#events.stderr(line);
      logs.stderr(this.id, line);
    };
    const watcher = auth.watcher(this.id);
    return recorded({
      target: openable(this.target, onStderr),
      recording,
      origin: () => {
        this.#connections += 1;
        this.#events.connection = this.#connections;
        return {
          server: this.id,
          source: 'inspector',
          hop: 'direct',
          connection: this.#connections,
          transport: this.target.kind === 'command' ? 'stdio' : 'http',
        };
      },
      auth: () => auth.authorizer(this.id),
      ...(watcher === undefined ? {} : { watcher }),
      onTransport: (name) => {
        this.#transport = name;
      },
    });
  }

  #answerRoots(context: AskContext): readonly Root[] | Promise<readonly Root[]> {
    const { roots, ask } = this.#roots;
    return ask ? this.#rooms.asks.roots(this.id, roots, context) : roots;
  }

  #changed(client: Client, { state, error, retries, delayMs }: StateChange): void {
    if (client !== this.#client) return;
    this.#events.flush();
    if (state === 'backoff') {
      const soon = delayMs === undefined ? '' : `, in ${(delayMs / 1_000).toFixed(1)} s`;
      const why = error === undefined ? '' : `: ${failureOf(error).message}`;
      this.#events.note('retrying', `Attempt ${retries + 1} follows${soon}${why}`, true);
    }
    this.#enter(state, { error, retries, delayMs });
    if (state === 'ready') this.#ready(client);
    if (state === 'backoff' && !this.#everReady && isHopeless(error, retries)) void this.#giveUp(client);
    if (state === 'closed') this.#client = undefined;
  }

  /** The failure stays, so that the page can say why. */
  async #giveUp(client: Client): Promise<void> {
    if (client !== this.#client) return;
    this.#client = undefined;
    await client.close();
    this.#enter('closed');
  }

  #ready(client: Client): void {
    this.#everReady = true;
    this.#standing.forgive();
    this.#events.note('connected', `Connected, revision ${client.revision} over ${this.#transport}`);
    const { revision, server, capabilities, instructions } = client;
    this.#session = {
      revision,
      era: findRevision(revision)?.lifecycle ?? 'handshake',
      transport: this.#transport,
      ...(server === undefined ? {} : { server }),
      capabilities,
      ...(instructions === undefined ? {} : { instructions }),
    };
    this.#tell();
    this.#listChanged(['tools', 'resources', 'templates', 'prompts', 'skills']);
    void this.#subscriptions.renew(client, (uri, cause) =>
      this.#faults.add({ kind: 'subscription', message: `${uri} is no longer subscribed to`, cause }),
    );
  }

  #enter(state: ServerState, entered?: Entered): void {
    this.#standing.enter(state, entered);
    this.#tell();
  }

  #health(): ServerHealth {
    const stats = this.#client?.state === 'ready' ? this.#client.stats : NO_STATS;
    const { waiting, late, duplicate, unknown, malformed } = stats;
    return {
      ...(this.#ping === undefined ? {} : { ping: this.#ping }),
      waiting,
      strays: { late, duplicate, unknown, malformed },
      faults: this.#faults.newest(),
    };
  }

  #listChanged(areas: readonly CatalogueArea[]): void {
    this.#rooms.emit({ type: 'changed', server: this.id, areas });
  }

  #tell(): void {
    if (!this.#retired) this.#rooms.emit({ type: 'server', server: this.view() });
  }
}

/** Trying again at once would not help. */
function isHopeless(error: unknown, retries: number): boolean {
  const unstartable = error instanceof TransportError && error.code === 'spawn_failed';
  return retries > MAX_FIRST_RETRIES || unstartable || needsLogin(error);
}

function connectingText(target: InspectedTarget): string {
  const address = addressOf(target);
  return address.kind === 'url' ? address.url : [address.command, ...address.args].join(' ');
}
