/**
 * What the HTTP side of a server needs Node for: requests of `node:http`, and listeners with everything that is served
 * beside the endpoint there. Loaded with the first of them, so that runtimes with `fetch` alone never see it.
 */

import type { CloseOptions } from '../../protocol/close-options.js';
import { given } from '../../protocol/given.js';
import type { HttpEndpoint } from '../../transports/http/server/exchange.js';
import { createNodeHandler, type NodeHandler } from '../../transports/http/server/node.js';
import { type HttpListener, listen } from '../../transports/http/server/node-listener.js';
import type { McpHttpEndpoint } from './endpoint.js';
import { DEFAULT_LEGACY_SSE, LegacySseEndpoint } from './legacy-sse.js';
import { PageEndpoint } from './pages.js';
import type { ConnectTransport, HttpHandle, TappedHttpOptions } from './service.js';

export interface NodeServiceParts {
  /** Serves the path of the server, and the documents. */
  readonly mounted: HttpEndpoint;
  readonly endpoint: McpHttpEndpoint;
  readonly path: string;
  /** Paths of public documents. */
  readonly documents: readonly string[];
  readonly options: TappedHttpOptions;
  readonly connect: ConnectTransport;
  readonly onError: (error: unknown) => void;
  /** Ends the endpoint, and these listeners with it. */
  close(listeners: readonly HttpListener[], options?: CloseOptions): Promise<void>;
}

export function createNodeService(parts: NodeServiceParts): NodeService {
  return new NodeService(parts);
}

export class NodeService {
  readonly handler: NodeHandler;
  readonly #parts: NodeServiceParts;
  readonly #listeners = new Set<HttpListener>();
  readonly #legacy = new Set<LegacySseEndpoint>();

  constructor(parts: NodeServiceParts) {
    this.#parts = parts;
    this.handler = this.#handlerOf(parts.mounted);
  }

  async listen(): Promise<HttpHandle> {
    const { endpoint, path, documents, options, onError } = this.#parts;
    const { port, host, otherwise, pages = {} } = options;
    const listener = await listen({
      ...(port === undefined ? {} : { port }),
      ...(host === undefined ? {} : { host }),
      ...(otherwise === undefined ? {} : { otherwise }),
      limits: endpoint.limits,
      onError,
      routes: new Map([
        [path, this.handler],
        ...this.#legacyRoutes(),
        ...Object.entries(pages).map(([page, write]): [string, NodeHandler] => [
          page,
          this.#handlerOf(new PageEndpoint(endpoint, write)),
        ]),
        ...documents.map((document): [string, NodeHandler] => [document, this.handler]),
      ]),
    });
    this.#listeners.add(listener);
    return {
      port: listener.port,
      origin: listener.origin,
      url: `${listener.origin}${path}`,
      open: () => endpoint.open,
      close: async (closing) => {
        this.#listeners.delete(listener);
        await this.#parts.close([listener], closing);
      },
    };
  }

  /** The listeners that are open, which from now on belong to who ends them. */
  release(): HttpListener[] {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    return listeners;
  }

  async closeLegacy(): Promise<void> {
    await Promise.all([...this.#legacy].map((endpoint) => endpoint.close()));
  }

  #legacyRoutes(): [string, NodeHandler][] {
    const { endpoint, options, connect } = this.#parts;
    const { legacySse, tap } = options;
    if (legacySse === undefined || legacySse === false) return [];
    const paths = { ...DEFAULT_LEGACY_SSE, ...(legacySse === true ? {} : given(legacySse)) };
    const legacy = new LegacySseEndpoint(endpoint, paths, connect);
    this.#legacy.add(legacy);
    const handler = this.#handlerOf(tap?.(legacy) ?? legacy);
    return [
      [paths.ssePath, handler],
      [paths.messagesPath, handler],
    ];
  }

  #handlerOf(endpoint: HttpEndpoint): NodeHandler {
    return createNodeHandler(endpoint, this.#parts.onError);
  }
}
