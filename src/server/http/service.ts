/** A server's HTTP side: the endpoint, the documents beside it, and, on Node, its listeners. */

import type { CloseOptions } from '../../protocol/close-options.js';
import { type Duration, milliseconds } from '../../protocol/duration.js';
import type { Optional } from '../../protocol/given.js';
import { assertOptionNames, type OptionNames } from '../../protocol/option-names.js';
import { createMemoryStore } from '../../store/memory.js';
import type { Cors } from '../../transports/http/server/cors.js';
import type { HttpEndpoint } from '../../transports/http/server/exchange.js';
import { serveFetch } from '../../transports/http/server/fetch.js';
import { originsOf } from '../../transports/http/server/guard.js';
import type { NodeHandler } from '../../transports/http/server/node.js';
import type { HttpListener } from '../../transports/http/server/node-listener.js';
import type { Transport } from '../../transports/transport.js';
import type { ConnectionIdentity } from '../connection.js';
import type { ServerHost } from '../host.js';
import type { ChangeRelay } from '../relay.js';
import type { ServerCardOptions } from './card.js';
import { type HttpOpen, type HttpOptions, McpHttpEndpoint } from './endpoint.js';
import type { LegacySseServeOptions } from './legacy-sse.js';
import type { NodeService } from './node-service.js';

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
}

/** For the commands that show traffic. */
export interface TappedHttpOptions extends HttpServeOptions {
  /** Observes the messages from and to clients, over every HTTP transport. */
  readonly tap?: ((endpoint: HttpEndpoint) => HttpEndpoint) | undefined;
}

const HTTP_OPTIONS: OptionNames<TappedHttpOptions> = {
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

/** Public documents by their paths, and what serves them around an endpoint. */
interface PublicDocuments {
  readonly paths: readonly string[];
  around(inner: HttpEndpoint, main: McpHttpEndpoint): HttpEndpoint;
}

export async function openHttpService(
  host: ServerHost,
  options: TappedHttpOptions,
  connect: ConnectTransport,
): Promise<HttpService> {
  assertOptionNames('http', options, HTTP_OPTIONS);
  if (options.path?.startsWith('/') === false)
    throw new TypeError(`The path "${options.path}" has to begin with a slash: "/${options.path}"`);
  const Relay = options.store === undefined ? undefined : (await import('../relay.js')).ChangeRelay;
  const documents = [await openAuthDocuments(options), await openCards(host, options)];
  return new HttpService(host, options, connect, { documents, cors: await openCors(options), Relay });
}

async function openCors(options: HttpServeOptions): Promise<Cors | undefined> {
  const origins = originsOf(options);
  if (origins.size === 0) return undefined;
  const { createCors } = await import('../../transports/http/server/cors.js');
  return createCors(origins);
}

/** What only some services need, and was loaded for them. */
interface ServiceParts {
  readonly documents: readonly (PublicDocuments | undefined)[];
  readonly cors: Cors | undefined;
  readonly Relay: typeof ChangeRelay | undefined;
}

/** What tells clients how to get tokens. */
async function openAuthDocuments({
  auth,
  path = DEFAULT_PATH,
}: HttpServeOptions): Promise<PublicDocuments | undefined> {
  if (auth === undefined) return undefined;
  const { DocumentEndpoint } = await import('./documents.js');
  const documents = auth.documents(path);
  return {
    paths: [...documents.keys()],
    around: (_inner, main) => new DocumentEndpoint(main, documents),
  };
}

/** Few servers publish a card; what serves it is loaded for them alone. */
async function openCards(
  host: ServerHost,
  { card, path = DEFAULT_PATH }: HttpServeOptions,
): Promise<PublicDocuments | undefined> {
  if (card === undefined) return undefined;
  const { CardEndpoint, cardDocuments } = await import('./card-endpoint.js');
  const documents = cardDocuments(card, path, host);
  return { paths: [...documents.keys()], around: (inner) => new CardEndpoint(inner, documents) };
}

export class HttpService {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly endpoint: McpHttpEndpoint;
  readonly #host: ServerHost;
  readonly #options: TappedHttpOptions;
  readonly #connect: ConnectTransport;
  readonly #closeStore: () => unknown;
  /** Announcements to other nodes, where this service was the first with the store that they share. */
  readonly #relay: ChangeRelay | undefined;
  /** The endpoint with the documents around it, as it is mounted. */
  readonly #mounted: HttpEndpoint;
  /** Paths of public documents. */
  readonly #documents: readonly string[];
  #node: Promise<NodeService> | undefined;

  constructor(
    host: ServerHost,
    options: TappedHttpOptions,
    connect: ConnectTransport,
    { documents, cors, Relay }: ServiceParts,
  ) {
    this.#host = host;
    this.#options = options;
    this.#connect = connect;
    const store = options.store ?? createMemoryStore();
    // A store that was passed in belongs to the caller.
    this.#closeStore = options.store === undefined ? () => store.close() : () => this.#relay?.close();
    if (Relay !== undefined && host.hub.relayStore !== store) {
      this.#relay = new Relay(store, host.hub, (error) => host.onError(error, 'changes'));
      host.hub.relayBy(this.#relay);
    }
    this.endpoint = new McpHttpEndpoint(host, store, options, cors);
    const published = documents.filter((some) => some !== undefined);
    this.#documents = published.flatMap(({ paths }) => paths);
    // Whatever mounts us may pass the well-known paths on too.
    const around = published.reduce<HttpEndpoint>(
      (inner, some) => some.around(inner, this.endpoint),
      this.endpoint,
    );
    this.#mounted = options.tap?.(around) ?? around;
    this.fetch = (request) => serveFetch(this.#mounted, request, (error) => host.onError(error, 'HTTP'));
  }

  /** Serves requests of `node:http`. */
  async nodeHandler(): Promise<NodeHandler> {
    return (await this.#onNode()).handler;
  }

  async listen(): Promise<HttpHandle> {
    return (await this.#onNode()).listen();
  }

  async close(options?: CloseOptions): Promise<void> {
    await this.#close((await this.#opened)?.release() ?? [], options);
  }

  #onNode(): Promise<NodeService> {
    if (this.#node !== undefined) return this.#node;
    const opening = import('./node-service.js').then(({ createNodeService }) =>
      createNodeService({
        mounted: this.#mounted,
        endpoint: this.endpoint,
        path: this.#options.path ?? DEFAULT_PATH,
        documents: this.#documents,
        options: this.#options,
        connect: this.#connect,
        onError: (error) => this.#host.onError(error, 'HTTP'),
        close: (listeners, options) => this.#close(listeners, options),
      }),
    );
    // Elsewhere there is none.
    opening.catch(() => {
      this.#node = undefined;
    });
    this.#node = opening;
    return opening;
  }

  /** What has to be closed of it. */
  get #opened(): Promise<NodeService | undefined> | undefined {
    return this.#node?.catch(() => undefined);
  }

  async #close(listeners: readonly HttpListener[], { drain }: CloseOptions = {}): Promise<void> {
    const graceMs = milliseconds(drain ?? DEFAULT_DRAIN);
    const closed = Promise.all(listeners.map((listener) => listener.close(graceMs)));
    await (await this.#opened)?.closeLegacy();
    await this.endpoint.close(graceMs);
    await closed;
    await this.#closeStore();
  }
}
