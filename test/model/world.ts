/** Nodes, a Redis and clients in one process. Nodes run the real server over the real store. */

// Servers load these on first use, which would take a moment of real time.
import '../../src/protocol/schema/json-schema.js';
import '../../src/server/extension-requests.js';
import '../../src/server/http/resumed-stream.js';
import '../../src/server/http/service.js';
import '../../src/server/input-state.js';
import '../../src/server/questions.js';
import '../../src/server/relay.js';
import '../../src/server/tasks/index.js';

import type { TappedHttpOptions } from '../../src/server/http/service.js';
import { createServer, type Server } from '../../src/server/index.js';
import type { Store } from '../../src/store/index.js';
import { createStoreOver } from '../../src/store/redis.js';
import { RedisConnection } from '../../src/store/redis-connection.js';
import { redisSettings } from '../../src/store/redis-options.js';
import type { HttpEndpoint } from '../../src/transports/http/server/exchange.js';
import { Exchange, type ModelRequest } from './exchange.js';
import { type Link, RedisModel } from './redis/server.js';
import { Steps } from './steps.js';

const RECONNECT_MS = 25;
const RESTART_MS = 200;
/** Longer than operations wait for Redis. */
const AWAY_MS = 12_000;

export interface ModelNode {
  readonly name: string;
  readonly store: Store;
  readonly server: Server;
  readonly endpoint: HttpEndpoint;
  readonly links: readonly Link[];
  readonly exchanges: Set<Exchange>;
  /** Resolves when the node is killed. */
  readonly death: Promise<void>;
  readonly die: () => void;
  isAlive: boolean;
}

/** What takes the first request has nothing to say: exchanges of the model go to the endpoint itself. */
const MUTE: Pick<HttpEndpoint, 'admit' | 'handle' | 'headersFor'> = {
  admit: () => new Promise(() => undefined),
  handle: () => undefined,
  headersFor: () => ({}),
};

/** What every node of a scenario has. */
export type Furnish = (server: Server, store: Store) => void;

/** Something that goes wrong, at a moment that the schedule chooses. */
export type Fault = readonly [name: string, happen: () => void];

export interface WorldOptions {
  /** Redis may come back without its last second. */
  readonly forgetful?: boolean;
  /** Redis may be away for longer than operations wait for it. */
  readonly patient?: boolean;
  /** Writes down every step. */
  readonly traced?: boolean;
  /** Scripts that Redis has from the beginning, those of an earlier run. */
  readonly scripts?: ReadonlyMap<string, string>;
}

export class World {
  readonly steps = new Steps();
  readonly redis: RedisModel;
  readonly nodes: ModelNode[] = [];
  readonly #furnish: Furnish;
  /** What a client or node chooses by chance in reality; the schedule does here. */
  readonly choose: (count: number) => number;
  readonly #forgetful: boolean;
  readonly isTraced: boolean;
  readonly #patient: boolean;
  #started = 0;
  #next = 0;
  #exposed = false;
  /** What no scenario allows. */
  readonly violations: string[] = [];
  /** Nodes that keep announcements which Redis was away for too long to take. */
  readonly #owing = new Set<string>();
  /** Told when such a node dies: what it kept is lost, as docs/scale.md says. */
  onAnnouncementsLost: () => void = () => undefined;
  /** For the trace of a schedule that failed. */
  readonly log: string[] = [];

  constructor(
    furnish: Furnish,
    choose: (count: number) => number,
    { forgetful = false, patient = false, traced = false, scripts = new Map() }: WorldOptions,
  ) {
    this.isTraced = traced;
    this.#patient = patient;
    this.#furnish = furnish;
    this.choose = choose;
    this.#forgetful = forgetful;
    this.redis = new RedisModel(this.steps, scripts, forgetful);
  }

  /** Redis is up, and every node is connected to it. */
  get isWhole(): boolean {
    return this.redis.isUp && [...this.redis.links].every(({ isConnected }) => isConnected);
  }

  note(text: () => string): void {
    if (this.isTraced) this.log.push(`${(this.steps.now % 1_000_000).toString().padStart(6)} ${text()}`);
  }

  async startNode(): Promise<ModelNode> {
    this.#started += 1;
    const name = `node${this.#started}`;
    this.steps.owner = name;
    const links = ['commands', 'messages'].map((purpose) => this.redis.connect(name, purpose));
    const [commands, messages] = links as [Link, Link];
    const store = await createStoreOver(new RedisConnection(redisSettings({}), commands, messages));
    let mount: (endpoint: HttpEndpoint) => void = () => undefined;
    const mounted = new Promise<HttpEndpoint>((resolve) => {
      mount = resolve;
    });
    const http: TappedHttpOptions = {
      store,
      tap: (tapped) => {
        mount(tapped);
        return { ...MUTE, limits: tapped.limits };
      },
    };
    const server = createServer({
      name: 'model',
      version: '1',
      telemetry: false,
      onError: (error, method) => {
        this.note(() => `${name} reports ${method}: ${String(error)}`);
        if (method === 'changes') this.#owing.add(name);
      },
      http,
    });
    this.#furnish(server, store);
    // A server makes its endpoint for the first request.
    void server.fetch(new Request('http://localhost/mcp'));
    const endpoint = await mounted;
    let die: () => void = () => undefined;
    const death = new Promise<void>((resolve) => {
      die = resolve;
    });
    const base = { name, store, server, endpoint, links, death, die };
    const node: ModelNode = { ...base, exchanges: new Set(), isAlive: true };
    if (!commands.isDead) this.nodes.push(node);
    return node;
  }

  /** The balancer: each request goes to the next node, or to another one where the schedule says so. */
  request(request: ModelRequest): Exchange {
    const alive = this.nodes.filter(({ isAlive }) => isAlive);
    this.#next += 1;
    const node = alive[(this.#next + this.choose(alive.length)) % alive.length];
    return new Exchange(this.steps, node, request);
  }

  /** Something has been promised at this very moment: a node that has yet to do its part must not die now. */
  expose(): void {
    this.#exposed = true;
  }

  /** True once after `expose`. */
  takeExposed(): boolean {
    const exposed = this.#exposed;
    this.#exposed = false;
    return exposed;
  }

  /** Nodes that die, with what they have not sent. */
  deaths(): Fault[] {
    const alive = this.nodes.filter(({ isAlive }) => isAlive);
    return alive.length < 2 ? [] : alive.map((node) => [`${node.name} dies`, () => this.#kill(node, false)]);
  }

  /** Each of them stands for itself; the schedule chooses when, and how often. */
  faults(): Fault[] {
    const faults: Fault[] = this.deaths();
    const alive = this.nodes.filter(({ isAlive }) => isAlive);
    for (const node of alive) {
      if (alive.length > 1)
        faults.push([`${node.name} dies after what it sent`, () => this.#kill(node, true)]);
      for (const [index, link] of node.links.entries()) {
        if (!link.isConnected) continue;
        const name = `${node.name} loses ${index === 0 ? 'commands' : 'messages'}`;
        faults.push([name, () => this.#cut(link)]);
        faults.push([
          `${name} after what it sent`,
          () => {
            link.flush();
            this.#cut(link);
          },
        ]);
      }
      for (const exchange of node.exchanges)
        faults.push([`a client of ${node.name} is cut off`, () => exchange.break()]);
    }
    if (this.redis.isUp) {
      faults.push(['Redis restarts', () => this.#restart(0, false)]);
      faults.push(['Redis restarts after what it got', () => this.#restart(0, true)]);
      if (this.#patient) faults.push(['Redis is away for long', () => this.#restart(0, true, AWAY_MS)]);
      if (this.#forgetful)
        faults.push(['Redis restarts without its last second', () => this.#restart(1_000, true)]);
    }
    return faults;
  }

  #kill(node: ModelNode, flushed: boolean): void {
    node.isAlive = false;
    this.nodes.splice(this.nodes.indexOf(node), 1);
    for (const link of node.links) {
      if (flushed) link.flush();
      link.destroy();
    }
    for (const exchange of [...node.exchanges]) exchange.die(flushed);
    this.steps.forget(node.name);
    if (this.#owing.delete(node.name)) this.onAnnouncementsLost();
    node.die();
    this.#replace();
  }

  /** A node that finds no Redis does not start; what looks after it tries again. */
  #replace(): void {
    this.steps.after(RESTART_MS, () => {
      this.startNode().catch((error: unknown) => {
        this.note(() => `a node did not start: ${String(error)}`);
        this.#replace();
      });
    });
  }

  #cut(link: Link): void {
    link.break();
    this.#reconnect(link);
  }

  #reconnect(link: Link): void {
    const again = (): void => {
      link.reconnect();
      if (!link.isConnected && !link.isDead) this.#reconnect(link);
    };
    this.steps.after(RECONNECT_MS, again, link.node);
  }

  #restart(forget: number, flushed: boolean, away = RESTART_MS): void {
    const links = [...this.redis.links].filter(({ isConnected }) => isConnected);
    if (flushed) for (const link of links) link.flush();
    this.redis.kill();
    this.steps.after(away, () => {
      this.redis.start(forget);
      for (const link of links) this.#reconnect(link);
    });
  }
}
