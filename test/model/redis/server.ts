/**
 * A Redis in this process. Its clients behave as those of the package do: a command that was under way when the
 * connection broke is rejected, one that was not sent yet waits, and subscriptions are made again with the connection.
 */

import { createHash } from 'node:crypto';
import type { RedisClient } from '../../../src/store/redis-client.js';
import type { Source, Steps } from '../steps.js';
import { Keyspace } from './keyspace.js';
import { compileLua } from './lua.js';

/** Known by its name to the store: the class of the package is loaded on demand. */
class SimpleError extends Error {}

interface Executed {
  readonly at: number;
  readonly args: readonly string[];
}

const shas = new Map<string, string>();

function shaOf(text: string): string {
  const known = shas.get(text) ?? createHash('sha1').update(text).digest('hex');
  shas.set(text, known);
  return known;
}

export class RedisModel {
  readonly steps: Steps;
  readonly links = new Set<Link>();
  isUp = true;
  #keys: Keyspace;
  #executed: Executed[] = [];
  readonly #scripts: Map<string, string>;
  readonly #loaded: Set<string>;
  /** While it reads its data, nothing is published. */
  #silent = false;
  /** When the script that runs was sent. */
  #at = 0;

  readonly #forgetful: boolean;

  /** `scripts` are known to it from the beginning, as to one that has run for a while. `forgetful`: see `start`. */
  constructor(steps: Steps, scripts: ReadonlyMap<string, string>, forgetful: boolean) {
    this.steps = steps;
    this.#forgetful = forgetful;
    this.#scripts = new Map(scripts);
    this.#loaded = new Set(scripts.keys());
    this.#keys = this.#createKeys();
  }

  get scripts(): ReadonlyMap<string, string> {
    return this.#scripts;
  }

  connect(node: string, purpose: string): Link {
    if (!this.isUp) throw new Error('Redis is away');
    const link = new Link(this, node, purpose);
    this.links.add(link);
    return link;
  }

  execute(args: readonly string[]): unknown {
    const at = this.steps.now;
    const reply = this.#run(args, at);
    if (this.#forgetful) this.#executed.push({ at, args });
    return reply;
  }

  /** A command in a few words; of a script, what it calls. */
  describe([name = '', first = '', ...rest]: readonly string[]): string {
    if (name !== 'EVAL' && name !== 'EVALSHA') return [name, first, ...rest].join(' ').slice(0, 120);
    const text = name === 'EVAL' ? first : (this.#scripts.get(first) ?? '');
    const calls = new Set([...text.matchAll(/redis\.call\('(\w+)'/g)].map(([, call]) => call));
    return `${name} [${[...calls].join(' ')}] ${rest.slice(1).join(' ').slice(0, 200)}`;
  }

  /** Killed: whatever it had not executed yet is gone with its connections. */
  kill(): void {
    this.isUp = false;
    for (const link of this.links) link.break();
  }

  /** Started again on its data; `forget` loses the last so many milliseconds of it. */
  start(forget: number): void {
    if (forget > 0) {
      const kept = this.#executed.filter(({ at }) => at <= this.steps.now - forget);
      this.#keys = this.#createKeys();
      this.#silent = true;
      for (const { at, args } of kept) this.#run(args, at);
      this.#silent = false;
      this.#executed = kept;
    }
    // It has the data that scripts have written, but not the scripts.
    this.#loaded.clear();
    this.isUp = true;
  }

  #load(sha: string, text: string): void {
    this.#scripts.set(sha, text);
    this.#loaded.add(sha);
  }

  #createKeys(): Keyspace {
    return new Keyspace((channel, text) => {
      if (!this.#silent) for (const link of this.links) link.push(channel, text);
    });
  }

  #run(args: readonly string[], at: number): unknown {
    const [name = '', script = '', count = '0'] = args;
    if (name !== 'EVAL' && name !== 'EVALSHA') return this.#keys.execute(name, args.slice(1), at);
    const sha = name === 'EVAL' ? shaOf(script) : script;
    if (name === 'EVAL') this.#load(sha, script);
    const text = this.#scripts.get(sha);
    if (text === undefined || (!this.#silent && !this.#loaded.has(sha)))
      throw new SimpleError('NOSCRIPT No matching script. Please use EVAL.');
    this.#at = at;
    const first = 3 + Number(count);
    return fromLua(compileLua(text)(this.#call, args.slice(3, first), args.slice(first)));
  }

  /** What scripts call. */
  readonly #call = (command: unknown, ...given: readonly unknown[]): unknown =>
    toLua(this.#keys.execute(String(command), given.map(String), this.#at));
}

function toLua(reply: unknown): unknown {
  if (reply === null || reply === undefined) return false;
  return Array.isArray(reply) ? reply.map(toLua) : reply;
}

function fromLua(value: unknown): unknown {
  if (value === undefined || value === false) return null;
  if (value === true) return 1;
  if (typeof value === 'number') return Math.trunc(value);
  return Array.isArray(value) ? value.map(fromLua) : value;
}

/** What Redis says to a node: the reply to a command, or a message. */
interface Heard {
  readonly command?: Command;
  readonly describe: () => string;
  readonly hear: () => void;
}

interface Command {
  readonly describe: () => string;
  readonly run: () => unknown;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Listener = (text: string) => void;

/** One connection of a node. */
export class Link implements RedisClient {
  readonly #redis: RedisModel;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #ready: (() => void)[] = [];
  /** Not sent yet. */
  #waiting: Command[] = [];
  /** Sent, and not executed. */
  readonly #out: Source<Command>;
  /** What Redis has said, and the node has not heard. `command` where it answers one. */
  readonly #in: Source<Heard>;
  /** Channels of this connection, as Redis knows them. */
  #channels = new Set<string>();
  readonly node: string;
  isConnected = true;
  #dead = false;

  constructor(redis: RedisModel, node: string, purpose: string) {
    this.#redis = redis;
    this.node = node;
    this.#out = redis.steps.source(
      `${node} ${purpose} out`,
      (command) => this.#execute(command),
      ({ describe }) => describe(),
    );
    this.#in = redis.steps.source(
      `${node} ${purpose} in`,
      ({ hear }) => hear(),
      ({ describe }) => describe(),
      { owner: node },
    );
  }

  get isDead(): boolean {
    return this.#dead;
  }

  send(args: string[], milliseconds: number): Promise<unknown> {
    return this.#command(
      () => this.#redis.describe(args),
      () => this.#redis.execute(args),
      milliseconds,
    );
  }

  async subscribe(channel: string, listener: Listener): Promise<void> {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners);
    listeners.add(listener);
    await this.#command(
      () => `subscribe ${channel}`,
      () => this.#channels.add(channel),
    );
  }

  async unsubscribe(channel: string, listener: Listener): Promise<void> {
    const listeners = this.#listeners.get(channel);
    listeners?.delete(listener);
    if (listeners === undefined || listeners.size > 0) return;
    this.#listeners.delete(channel);
    await this.#command(
      () => `unsubscribe ${channel}`,
      () => {
        if (!this.#listeners.has(channel)) this.#channels.delete(channel);
      },
    );
  }

  onReady(listener: () => void): void {
    this.#ready.push(listener);
  }

  /** A message that was published. */
  push(channel: string, text: string): void {
    if (!this.isConnected || !this.#channels.has(channel)) return;
    this.#in.add({
      describe: () => `message ${channel} ${text}`,
      hear: () => {
        for (const listener of [...(this.#listeners.get(channel) ?? [])]) listener(text);
      },
    });
  }

  /** Redis has read and executed all that was sent. */
  flush(): void {
    for (const command of this.#out.clear()) this.#execute(command);
  }

  break(): void {
    if (!this.isConnected || this.#dead) return;
    this.isConnected = false;
    this.#channels = new Set();
    const cut = [...this.#in.clear().flatMap(({ command }) => command ?? []), ...this.#out.clear()];
    for (const { reject } of cut) reject(new Error('Socket closed unexpectedly'));
  }

  reconnect(): void {
    if (this.isConnected || this.#dead || !this.#redis.isUp) return;
    this.isConnected = true;
    this.#channels = new Set(this.#listeners.keys());
    for (const command of this.#waiting.splice(0)) this.#out.add(command);
    for (const listener of this.#ready) listener();
  }

  /** The node is dead: nothing of it is heard, and it hears nothing. */
  destroy(): void {
    this.#dead = true;
    this.#out.clear();
    this.#in.clear();
    this.#waiting = [];
    this.#redis.links.delete(this);
  }

  #command(describe: () => string, run: () => unknown, milliseconds?: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#dead) return;
      const command = { describe, run, resolve, reject };
      if (this.isConnected) {
        this.#out.add(command);
        return;
      }
      this.#waiting.push(command);
      if (milliseconds === undefined) return;
      setTimeout(() => {
        const at = this.#waiting.indexOf(command);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        reject(new Error('The command was aborted'));
      }, milliseconds);
    });
  }

  #execute(command: Command): void {
    const { run, resolve, reject } = command;
    try {
      const reply = run();
      const describe = (): string => `reply ${JSON.stringify(reply)?.slice(0, 100)} to ${command.describe()}`;
      this.#in.add({ command, describe, hear: () => resolve(reply) });
    } catch (error) {
      this.#in.add({ command, describe: () => String(error), hear: () => reject(error) });
    }
  }
}
