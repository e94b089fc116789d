/** Watches a chain of this process: what its clients say on one side, and what it says to its servers on the other. */

import { isDeepStrictEqual } from 'node:util';
import type { Destination } from '../chain/index.js';
import type { Destinations } from '../chain/targets.js';
import { destinationsOf } from '../chain/targets.js';
import type { Target } from '../client/index.js';
import { isProgram, type StdioTarget, type TransportSource } from '../client/target.js';
import type { LogLevel } from '../protocol/model/logging.js';
import type { HttpEndpoint } from '../transports/http/server/exchange.js';
import type { TransportObserver } from '../transports/observed.js';
import type { TransportName } from './api.js';
import type { InspectorCore } from './core.js';
import type { ConversationOrigin } from './recorder/conversation.js';
import { ClientSide } from './recorder/recording-endpoint.js';
import { recorded, recordedProgram } from './recorder/recording-transport.js';

type WatchedServer = StdioTarget | { readonly server: TransportSource };

export class ChainWatch {
  /** For the `tap` of the options that the chain is served with. */
  readonly tap: (endpoint: HttpEndpoint) => HttpEndpoint;
  readonly #clients: ClientSide;
  readonly #core: InspectorCore;
  readonly #id: string;
  readonly #name: string;
  #upstreams: readonly string[] = [];
  #url: string | undefined;
  /** A server that stays the same in a changed configuration stays connected, so it has to stay the same here too. */
  readonly #known = new Map<string, { readonly target: Target; readonly watched: WatchedServer }>();

  constructor(core: InspectorCore, name: string) {
    this.#core = core;
    this.#id = core.nextChain();
    core.recording.sent.watch();
    this.#name = name;
    this.#clients = new ClientSide(core.recording, this.#id);
    this.tap = this.#clients.tap;
    this.#tell();
  }

  /** For a client that is connected over stdio, or over the socket of a hub. */
  observer(): TransportObserver {
    return this.#clients.observer();
  }

  /** Its clients reach it there. */
  listens(url: string): void {
    this.#url = url;
    this.#tell();
  }

  /** A server that is behind the chain already. What is said to it is recorded from its next start on. */
  shows(upstream: string): void {
    this.#upstreams = [upstream];
    this.#tell();
  }

  /** The same servers, recorded. */
  wrap(given: Destination | Destinations): Destinations {
    const named = destinationsOf(given);
    this.#upstreams = named.map(({ name }) => name);
    this.#tell();
    const entries = named.map(({ name, target, options }): [string, Destination] => {
      const known = this.#known.get(name);
      const watched =
        known !== undefined && isDeepStrictEqual(known.target, target)
          ? known.watched
          : this.#watched(name, target);
      this.#known.set(name, { target, watched });
      return [name, { ...options, ...watched }];
    });
    return Object.fromEntries(entries);
  }

  /** A line in the log of the inspector. */
  note(level: LogLevel, text: string): void {
    this.#core.logs.message(this.#id, { level, logger: this.#name, data: text });
  }

  /** What a server wrote to stderr, where the chain's owner reads it. */
  stderr(line: string): void {
    this.#core.logs.stderr(this.#id, line);
  }

  /** Connects the inspector to the chain, as a client of it. */
  connect(url: string): void {
    const target = { kind: 'url', url, headers: {} } as const;
    void this.#core.servers.create(target, { kind: 'command line' }, this.#name).connect();
  }

  #tell(): void {
    const url = this.#url === undefined ? {} : { url: this.#url };
    this.#core.watches({ id: this.#id, name: this.#name, upstreams: this.#upstreams, ...url });
  }

  #watched(upstream: string, target: Target): WatchedServer {
    const { recording } = this.#core;
    let connections = 0;
    const origin = (): ConversationOrigin => {
      connections += 1;
      return {
        server: this.#id,
        source: 'chain',
        hop: 'upstream',
        upstream,
        connection: connections,
        transport: transportOf(target),
      };
    };
    return isProgram(target)
      ? recordedProgram(target, recording, origin)
      : { server: recorded({ target, recording, origin }) };
  }
}

function transportOf(target: Target): TransportName {
  if (typeof target === 'string' || target instanceof URL || 'url' in target) return 'http';
  return 'command' in target ? 'stdio' : 'memory';
}
