/** Serves the card of a server and its catalog: public, for any origin, with an entity tag. */

import type { JsonObject } from '../../jsonrpc/message.js';
import type { Awaitable } from '../../protocol/awaitable.js';
import type {
  HttpBody,
  HttpCaller,
  HttpEndpoint,
  HttpHeaders,
  HttpRequest,
  HttpResponse,
} from '../../transports/http/server/exchange.js';
import type { HttpLimits } from '../../transports/http/server/limits.js';
import type { ServerHost } from '../host.js';
import {
  CARD_TYPE,
  CATALOG_PATH,
  CATALOG_TYPE,
  catalogOf,
  type ServerCardOptions,
  serverCard,
} from './card.js';

interface CardDocument {
  readonly type: string;
  readonly text: string;
  /** Of the text. */
  readonly tag: string;
}

/** Makers of documents by path. */
export type CardDocuments = ReadonlyMap<string, () => Promise<CardDocument>>;

/** A card has no secrets, so that any page may read it. */
const OPEN: HttpHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET',
  'Access-Control-Allow-Headers': 'Content-Type, If-None-Match',
  'Access-Control-Expose-Headers': 'ETag',
};

export class CardEndpoint implements HttpEndpoint {
  readonly limits: HttpLimits;
  readonly #main: HttpEndpoint;
  readonly #documents: CardDocuments;

  /** Every other path is left to `main`. */
  constructor(main: HttpEndpoint, documents: CardDocuments) {
    this.#main = main;
    this.limits = main.limits;
    this.#documents = documents;
  }

  headersFor(request: HttpRequest): HttpHeaders {
    return this.#documents.has(request.path) ? OPEN : this.#main.headersFor(request);
  }

  admit(request: HttpRequest, response: HttpResponse): Awaitable<HttpCaller | undefined> {
    const document = this.#documents.get(request.path);
    if (document === undefined) return this.#main.admit(request, response);
    if (request.method === 'OPTIONS') {
      response.send(204, { ...OPEN, Allow: 'GET, HEAD, OPTIONS' });
      return undefined;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.send(405, { ...OPEN, Allow: 'GET, HEAD, OPTIONS' });
      return undefined;
    }
    return document().then((made) => {
      send(made, request, response);
      return undefined;
    });
  }

  handle(request: HttpRequest, caller: HttpCaller, body: HttpBody, response: HttpResponse): Awaitable<void> {
    return this.#main.handle(request, caller, body, response);
  }
}

function send({ type, text, tag }: CardDocument, request: HttpRequest, response: HttpResponse): void {
  const headers = { ...OPEN, 'Cache-Control': 'public, max-age=3600', ETag: tag };
  const known = request
    .header('if-none-match')
    ?.split(',')
    .map((one) => one.trim().replace(/^W\//, ''));
  if (known?.some((one) => one === tag || one === '*') === true) response.send(304, headers);
  else if (request.method === 'HEAD') response.send(200, { ...headers, 'Content-Type': type });
  else response.send(200, { ...headers, 'Content-Type': type }, text);
}

/** The documents of a card by path, as the server is when they are asked for. */
export function cardDocuments(options: ServerCardOptions, path: string, host: ServerHost): CardDocuments {
  const revisions = [...host.handshakeRevisions, ...host.statelessRevisions].map(({ version }) => version);
  const card = (): JsonObject => serverCard(options, host.introduction().info, revisions);
  // What is wrong with the options is reported at the start.
  card();
  return new Map([
    [`${path.replace(/\/+$/, '')}/server-card`, () => cardDocument(CARD_TYPE, card())],
    [CATALOG_PATH, () => cardDocument(CATALOG_TYPE, catalogOf(card(), options))],
  ]);
}

/** Written once for each state of the server. */
async function cardDocument(type: string, content: object): Promise<CardDocument> {
  const text = JSON.stringify(content);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  const tag = Array.from(digest.subarray(0, 12), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { type, text, tag: `"${tag}"` };
}
