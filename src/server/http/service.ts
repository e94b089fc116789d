/** A server's HTTP side: the endpoint, the old transport beside it, and the listeners that it opened. */

import type { JsonObject } from '../../jsonrpc/message.js';
import type { CloseOptions } from '../../protocol/close-options.js';
import { type Duration, milliseconds } from '../../protocol/duration.js';
import { given, type Optional } from '../../protocol/given.js';
import { assertOptionNames, type OptionNames } from '../../protocol/option-names.js';
import { createMemoryStore } from '../../store/memory.js';
import type { HttpEndpoint } from '../../transports/http/server/exchange.js';
import { serveFetch } from '../../transports/http/server/fetch.js';
import { createNodeHandler, type NodeHandler } from '../../transports/http/server/node.js';
import type { HttpListener } from '../../transports/http/server/node-listener.js';
import type { Transport } from '../../transports/transport.js';
import type { ConnectionIdentity } from '../connection.js';
import type { ServerHost } from '../host.js';
import { ChangeRelay } from '../relay.js';
import {
  CARD_TYPE,
  CATALOG_PATH,
  CATALOG_TYPE,
  catalogOf,
  type ServerCardOptions,
  serverCard,
} from './card.js';
import { type CardDocument, CardEndpoint, cardDocument } from './card-endpoint.js';
import { DocumentEndpoint } from './documents.js';
import { type HttpOpen, type HttpOptions, McpHttpEndpoint } from './endpoint.js';
import { DEFAULT_LEGACY_SSE, LegacySseEndpoint, type LegacySseServeOptions } from './legacy-sse.js';
import { PageEndpoint } from './pages.js';

/** How a server listens, and what its HTTP endpoint does. */
export interface HttpServeOptions extends HttpOptions {
  /** The port. Default: a free one. */
  readonly port?: number | undefined;
  /** The address to listen on. Default: 127.0.0.1, so that only this machine reaches it. */
  readonly host?: string | undefined;
  /** The path of the endpoint. Default: `/mcp`. */
  readonly path?: string | undefined;
  /** Serves the old HTTP+SSE transport too, at `/sse` and `/messages` unless other paths are given. */
  readonly legacySse?: boolean | Optional<LegacySseServeOptions> | undefined;
  /** Pages of text by path, such as `/metrics`. */
  readonly pages?: Readonly<Record<string, () => string>> | undefined;
  /** Serves every path that is not ours, on the same port. It makes its own checks of host, origin and credentials. */
  readonly otherwise?: NodeHandler | undefined;
  /**
   * Publishes a server card at `PATH/server-card`, and a catalog that names it at `/.well-known/ai-catalog.json`, for
   * everyone. Default: none.
   */
  readonly card?: ServerCardOptions | undefined;
  /** Observes the messages from and to clients, over every HTTP transport. */
  readonly tap?: ((endpoint: HttpEndpoint) => HttpEndpoint) | undefined;
}

const HTTP_OPTIONS: OptionNames<HttpServeOptions> = {
  port: true,
  host: true,
  path: true,
  allowedHosts: true,
  allowedOrigins: true,
  auth: true,
  authenticate: true,
  clientAddress: true,
  sessions: true,
  store: true,
  keepAlive: true,
  limits: true,
  legacySse: true,
  pages: true,
  otherwise: true,
  card: true,
  tap: true,
};

/** A server that listens. */
export interface HttpHandle {
  readonly port: number;
  /** The URL that clients connect to. */
  readonly url: string;
  readonly origin: string;
  /** What is open at this moment. */
  open(): HttpOpen;
  /** Stops accepting, lets running calls finish within the limit, ends streams, then closes. */
  close(options?: CloseOptions): Promise<void>;
}

const DEFAULT_PATH = '/mcp';
const DEFAULT_DRAIN: Duration = '5s';

export type ConnectTransport = (transport: Transport, identity: ConnectionIdentity) => Promise<void>;

export class HttpService {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly node: NodeHandler;
  readonly endpoint: McpHttpEndpoint;
  readonly #host: ServerHost;
  readonly #options: HttpServeOptions;
  readonly #connect: ConnectTransport;
  readonly #closeStore: () => unknown;
  /** Announcements to other nodes, where this service was the first with the store that they share. */
  readonly #relay: ChangeRelay | undefined;
  /** Public documents by path. */
  readonly #documents: ReadonlyMap<string, JsonObject>;
  readonly #cards: ReadonlyMap<string, () => Promise<CardDocument>>;
  readonly #listeners = new Set<HttpListener>();
  readonly #legacy = new Set<LegacySseEndpoint>();

  constructor(host: ServerHost, options: HttpServeOptions, connect: ConnectTransport) {
    assertOptionNames('http', options, HTTP_OPTIONS);
    if (options.path?.startsWith('/') === false)
      throw new TypeError(`The path "${options.path}" has to begin with a slash: "/${options.path}"`);
    this.#host = host;
    this.#options = options;
    this.#connect = connect;
    const store = options.store ?? createMemoryStore();
    // A store that was passed in belongs to the caller.
    this.#closeStore = options.store === undefined ? () => store.close() : () => this.#relay?.close();
    if (options.store !== undefined && host.hub.relayStore !== options.store) {
      this.#relay = new ChangeRelay(options.store, host.hub, (error) => host.onError(error, 'changes'));
      host.hub.relayBy(this.#relay);
    }
    this.endpoint = new McpHttpEndpoint(host, store, options);
    const { auth } = options;
    this.#documents = auth?.documents(options.path ?? DEFAULT_PATH) ?? new Map();
    this.#cards =
      options.card === undefined ? new Map() : cardsOf(options.card, options.path ?? DEFAULT_PATH, host);
    // Whatever mounts us may pass the well-known paths on too.
    const documented =
      auth === undefined ? this.endpoint : new DocumentEndpoint(this.endpoint, this.#documents);
    const mounted = this.#cards.size === 0 ? documented : new CardEndpoint(documented, this.#cards);
    const tapped = this.#tapped(mounted);
    this.fetch = (request) => serveFetch(tapped, request, (error) => host.onError(error, 'HTTP'));
    this.node = this.#handler(tapped);
  }

  async listen(): Promise<HttpHandle> {
    const { listen } = await import('../../transports/http/server/node-listener.js');
    const { port, host, otherwise } = this.#options;
    const path = this.#options.path ?? DEFAULT_PATH;
    const listener = await listen({
      ...(port === undefined ? {} : { port }),
      ...(host === undefined ? {} : { host }),
      ...(otherwise === undefined ? {} : { otherwise }),
      limits: this.endpoint.limits,
      onError: (error) => this.#host.onError(error, 'HTTP'),
      routes: new Map([
        [path, this.node],
        ...this.#legacyRoutes(),
        ...Object.entries(this.#options.pages ?? {}).map(([page, write]): [string, NodeHandler] => [
          page,
          this.#handler(new PageEndpoint(this.endpoint, write)),
        ]),
        ...[...this.#documents.keys(), ...this.#cards.keys()].map((document): [string, NodeHandler] => [
          document,
          this.node,
        ]),
      ]),
    });
    this.#listeners.add(listener);
    return {
      port: listener.port,
      origin: listener.origin,
      url: `${listener.origin}${path}`,
      open: () => this.endpoint.open,
      close: async (options) => {
        this.#listeners.delete(listener);
        await this.#close([listener], options);
      },
    };
  }

  close(options?: CloseOptions): Promise<void> {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    return this.#close(listeners, options);
  }

  async #close(listeners: readonly HttpListener[], { drain }: CloseOptions = {}): Promise<void> {
    const graceMs = milliseconds(drain ?? DEFAULT_DRAIN);
    const closed = Promise.all(listeners.map((listener) => listener.close(graceMs)));
    await Promise.all([...this.#legacy].map((endpoint) => endpoint.close()));
    await this.endpoint.close(graceMs);
    await closed;
    await this.#closeStore();
  }

  #legacyRoutes(): [string, NodeHandler][] {
    const { legacySse } = this.#options;
    if (legacySse === undefined || legacySse === false) return [];
    const options = { ...DEFAULT_LEGACY_SSE, ...(legacySse === true ? {} : given(legacySse)) };
    const endpoint = new LegacySseEndpoint(this.endpoint, options, this.#connect);
    this.#legacy.add(endpoint);
    const handler = this.#handler(this.#tapped(endpoint));
    return [
      [options.ssePath, handler],
      [options.messagesPath, handler],
    ];
  }

  #handler(endpoint: HttpEndpoint): NodeHandler {
    return createNodeHandler(endpoint, (error) => this.#host.onError(error, 'HTTP'));
  }

  #tapped(endpoint: HttpEndpoint): HttpEndpoint {
    return this.#options.tap?.(endpoint) ?? endpoint;
  }
}

/** The documents of a card by path, as the server is when they are asked for. */
function cardsOf(
  options: ServerCardOptions,
  path: string,
  host: ServerHost,
): ReadonlyMap<string, () => Promise<CardDocument>> {
  const revisions = [...host.handshakeRevisions, ...host.statelessRevisions].map(({ version }) => version);
  const card = (): JsonObject => serverCard(options, host.introduction().info, revisions);
  // What is wrong with the options is reported at the start.
  card();
  return new Map([
    [`${path.replace(/\/+$/, '')}/server-card`, () => cardDocument(CARD_TYPE, card())],
    [CATALOG_PATH, () => cardDocument(CATALOG_TYPE, catalogOf(card(), options))],
  ]);
}
