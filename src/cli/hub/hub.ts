/** One background process for all clients of a user: each server of its configuration runs once, behind a local socket. */

import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { OAuth } from '../../auth/index.js';
import type { Destination } from '../../chain/index.js';
import { appendLines } from '../../chain/node.js';
import { ServerLog } from '../../chain/server-log.js';
import type { Destinations } from '../../chain/targets.js';
import { messageOf } from '../../client/errors.js';
import type { ChainWatch } from '../../inspector/watch-chain.js';
import { printable, singleLine } from '../../protocol/display.js';
import { PLUMB_VERSION } from '../../protocol/version.js';
import { protectedUrl } from '../session/credentials.js';
import { readHubEntry } from './hub-config.js';
import { type HubLock, takeHubLock } from './hub-lock.js';
import { type HubReply, type HubRequest, type HubStatus, parseHubRequest } from './hub-message.js';
import type { HubPlaces } from './hub-places.js';
import { HubServer } from './hub-server.js';

export interface HubInspector {
  readonly url: string;
  watch(name: string): ChainWatch;
  /** The process of the hub runs on until it is closed. */
  close(): Promise<void>;
}

export interface HubOptions {
  readonly places: HubPlaces;
  /** The logins of an account, or those without one. */
  readonly auth: (account: string | undefined) => Promise<OAuth>;
  /** How long a server runs on after its last client. */
  readonly idleMs: number;
  /** How long the hub runs on without servers. */
  readonly hubIdleMs: number;
  /** Opens the inspector, once. */
  readonly inspect: () => Promise<HubInspector>;
}

const LOG = { maxBytes: 5 * 1024 * 1024, keep: 1 };
const MAX_HELLO_BYTES = 64 * 1024;
const HELLO_MS = 10_000;
const SELF_CHECK_MS = 30_000;

export class Hub {
  readonly #options: HubOptions;
  readonly #servers = new Map<string, HubServer>();
  readonly #sockets = new Set<Socket>();
  readonly #write: (line: string) => void;
  readonly #listener: Server;
  readonly #lock: HubLock;
  readonly #started = performance.now();
  readonly #end: () => void;
  /** Resolves when the hub has ended. */
  readonly ended: Promise<void>;
  #inspector: ReturnType<HubOptions['inspect']> | undefined;
  #watches: ((name: string) => ChainWatch) | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #check: ReturnType<typeof setInterval> | undefined;
  #closing: Promise<void> | undefined;

  /** Undefined when another hub runs. */
  static async start(options: HubOptions): Promise<Hub | undefined> {
    const { folder, lock: path, socket } = options.places;
    privateFolder(folder);
    const lock = takeHubLock(path);
    if (lock === undefined) return undefined;
    const hub = new Hub(options, lock);
    try {
      await hub.#listen(socket);
    } catch (error) {
      lock.release();
      throw error;
    }
    return hub;
  }

  private constructor(options: HubOptions, lock: HubLock) {
    this.#options = options;
    this.#lock = lock;
    const append = appendLines(options.places.log, LOG);
    this.#write = (line) => append(`${new Date().toISOString()} ${line}`);
    this.#listener = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
    let end = (): void => {};
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    this.#end = end;
  }

  get status(): HubStatus {
    return {
      pid: process.pid,
      version: PLUMB_VERSION,
      upMs: Math.round(performance.now() - this.#started),
      servers: [...this.#servers.values()].map(({ status }) => status),
    };
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#idle);
    clearInterval(this.#check);
    // First, so that a client that comes now starts the next hub.
    this.#listener.close();
    if (process.platform !== 'win32' && this.#lock.isHeld())
      rmSync(this.#options.places.socket, { force: true });
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
    for (const socket of this.#sockets) socket.destroy();
    // One that could not be opened has been reported to the client that wanted it.
    const inspector = await this.#inspector?.catch(() => undefined);
    await inspector?.close();
    this.#write('the hub ended');
    this.#lock.release();
    this.#end();
  }

  async #listen(path: string): Promise<void> {
    if (process.platform !== 'win32') {
      privateFolder(dirname(path));
      // Left behind by a hub that is gone: the lock is ours.
      rmSync(path, { force: true });
    }
    await new Promise<void>((resolve, reject) => {
      this.#listener.once('error', reject);
      this.#listener.listen(path, () => resolve());
    });
    if (process.platform !== 'win32') chmodSync(path, 0o600);
    this.#write(`the hub ${PLUMB_VERSION} runs as process ${process.pid}`);
    this.#check = setInterval(() => {
      if (!this.#lock.isHeld()) void this.close();
    }, SELF_CHECK_MS);
    this.#check.unref();
    this.#rest();
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
    const timer = setTimeout(() => socket.destroy(), HELLO_MS);
    socket.once('close', () => clearTimeout(timer));
    let received = Buffer.alloc(0);
    const read = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const newline = received.indexOf(10);
      if (newline < 0) {
        if (received.length > MAX_HELLO_BYTES) socket.destroy();
        return;
      }
      clearTimeout(timer);
      socket.off('data', read);
      socket.pause();
      const rest = received.subarray(newline + 1);
      if (rest.length > 0) socket.unshift(rest);
      const request = parseHubRequest(received.subarray(0, newline).toString());
      void this.#answer(socket, request);
    };
    socket.on('data', read);
  }

  async #answer(socket: Socket, request: HubRequest | undefined): Promise<void> {
    const reply = (value: HubReply): void => void socket.write(`${JSON.stringify(value)}\n`);
    try {
      if (request === undefined) throw new Error('The hub does not know this request; run plumb hub stop');
      if ('connect' in request) {
        const server = await this.#server(request.connect);
        reply({ ok: true });
        server.serve(socket);
        return;
      }
      if (request.command === 'inspect') reply({ ok: true, inspector: await this.#inspect() });
      else reply({ ok: true, status: this.status });
      socket.end();
      if (request.command === 'stop') await this.close();
    } catch (error) {
      reply({ ok: false, error: singleLine(messageOf(error)) });
      socket.end();
    }
  }

  async #server(name: string): Promise<HubServer> {
    const { destination: given, perClient, account } = readHubEntry(this.#options.places.config, name);
    const destination = await this.#authorized(given, account);
    const known = this.#servers.get(name);
    if (known?.isClosing === true) await known.close();
    else if (known !== undefined) {
      known.update(destination, perClient);
      return known;
    }
    const again = this.#servers.get(name);
    if (again !== undefined) return again;
    clearTimeout(this.#idle);
    const note = (text: string): void => this.#write(singleLine(`${name} ${text}`));
    const log = new ServerLog({ write: (line) => this.#write(line.replace(/^plumb: /, '')) });
    const server = new HubServer({
      name,
      destination,
      prepare: (given) => this.#completed(name, given),
      perClient,
      idleMs: this.#options.idleMs,
      chain: {
        onError: (error, method) => log.error(error, method),
        onServerEvent: (event) => log.event(event),
      },
      note,
      ended: () => {
        this.#servers.delete(name);
        this.#rest();
      },
    });
    const watch = this.#watches?.(name);
    if (watch !== undefined) server.watch(watch);
    this.#servers.set(name, server);
    note('is used by a client');
    return server;
  }

  /** With its login, where it brings no credentials of its own. */
  async #authorized(given: Destination, account: string | undefined): Promise<Destination> {
    if (typeof given !== 'object' || given instanceof URL || !('url' in given)) return given;
    if (protectedUrl({ target: given }) === undefined) return given;
    return { ...given, auth: await this.#options.auth(account) };
  }

  /** With its stderr in the log, and its traffic in the inspector. */
  #completed(name: string, given: Destination): Destination {
    let destination = given;
    if (typeof given === 'object' && !(given instanceof URL) && 'command' in given)
      destination = { ...given, onStderr: this.#stderr(name) };
    const watched: Destinations | undefined = this.#watches?.(name).wrap({ [name]: destination });
    return watched?.[name] ?? destination;
  }

  /** The same function for the same server: its entry has to be the same while nothing changes. */
  readonly #listeners = new Map<string, (line: string) => void>();

  #stderr(name: string): (line: string) => void {
    const known = this.#listeners.get(name);
    if (known !== undefined) return known;
    const listener = (line: string): void => this.#write(`${name} | ${printable(line)}`);
    this.#listeners.set(name, listener);
    return listener;
  }

  async #inspect(): Promise<string> {
    this.#inspector ??= this.#options.inspect();
    const { url, watch } = await this.#inspector;
    const watches = new Map<string, ChainWatch>();
    this.#watches ??= (name) => {
      const known = watches.get(name) ?? watch(name);
      watches.set(name, known);
      return known;
    };
    for (const [name, server] of this.#servers) server.watch(this.#watches(name));
    return url;
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#servers.size > 0 || this.#closing !== undefined) return;
    this.#idle = setTimeout(() => void this.close(), this.#options.hubIdleMs);
  }
}

function privateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { getuid } = process;
  if (getuid === undefined) return;
  const { uid, mode } = statSync(folder);
  if (uid !== getuid())
    throw new Error(
      `${folder} belongs to another user, so the hub does not run there; set PLUMB_HUB to a folder of yours`,
    );
  if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
}
