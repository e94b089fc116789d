/**
 * What a client remembers between the requests to one server: the session that a handshake opened and the revision
 * agreed in it, or the revision that stateless requests name. It decides the protocol's own headers.
 */

import type { JsonObject } from '../../../jsonrpc/message.js';
import {
  encodeHeaderValue,
  METHOD_HEADER,
  NAME_HEADER,
  nameOf,
  SESSION_HEADER,
  VERSION_HEADER,
} from '../../../protocol/mirrored-headers.js';
import { findRevision, type Revision } from '../../../protocol/revisions/index.js';
import type { OutgoingMessage } from './outgoing.js';
import type { HttpHead } from './requester.js';

const POST_HEADERS = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream'];
const STREAM_HEADERS = ['accept', 'text/event-stream'];

export class HttpSession {
  #id: string | undefined;
  #lost = false;
  #agreed: Revision | undefined;
  /** The version that the last stateless message named. */
  #named: string | undefined;

  get id(): string | undefined {
    return this.#id;
  }

  /** Whether the server has forgotten the session, and no handshake has succeeded since. */
  get isLost(): boolean {
    return this.#lost;
  }

  /** Whether a stream from the server outside of any request makes sense. */
  get hasStream(): boolean {
    return this.#id !== undefined || this.#agreed?.http.sessions === true;
  }

  /** Whether requests stand alone, so that closing one is how it is cancelled and nothing of it can be resumed. */
  isStateless(outgoing: OutgoingMessage): boolean {
    return this.#versionOf(outgoing) !== undefined;
  }

  postHeaders(outgoing: OutgoingMessage, mirrored: Readonly<Record<string, string>> | undefined): string[] {
    const headers = [...POST_HEADERS];
    const version = this.#versionOf(outgoing);
    if (version === undefined) {
      if (outgoing.method !== 'initialize') this.#addSession(headers);
      return headers;
    }
    this.#named = version;
    const { method, params } = outgoing;
    headers.push(VERSION_HEADER, encodeHeaderValue(version));
    if (method !== undefined) {
      headers.push(METHOD_HEADER, encodeHeaderValue(method));
      const name = nameOf(method, params);
      if (name !== undefined) headers.push(NAME_HEADER, encodeHeaderValue(name));
    }
    for (const header in mirrored) headers.push(header, mirrored[header] ?? '');
    return headers;
  }

  /** For GET. */
  streamHeaders(lastEventId: string | undefined): string[] {
    const headers = [...STREAM_HEADERS];
    this.#addSession(headers);
    if (lastEventId !== undefined) headers.push('last-event-id', lastEventId);
    return headers;
  }

  /** For DELETE. */
  endHeaders(): string[] {
    const headers: string[] = [];
    this.#addSession(headers);
    return headers;
  }

  /** A new handshake begins: it must not carry the old session. */
  reset(): void {
    this.#id = undefined;
    this.#agreed = undefined;
  }

  /** The server has forgotten this session. A newer one stays. */
  forget(id: string): void {
    if (this.#id !== id) return;
    this.reset();
    this.#lost = true;
  }

  /** The head of the answer to `initialize`. */
  assigned(head: HttpHead): void {
    this.#id = head.header(SESSION_HEADER);
  }

  /** The result of `initialize`, on its way to the client. */
  agreed(result: JsonObject): void {
    const { protocolVersion } = result;
    this.#agreed = typeof protocolVersion === 'string' ? findRevision(protocolVersion) : undefined;
    this.#named = undefined;
    this.#lost = false;
  }

  #addSession(headers: string[]): void {
    if (this.#id !== undefined) headers.push(SESSION_HEADER, this.#id);
    const agreed = this.#agreed;
    if (agreed !== undefined && agreed.http.versionHeader !== 'none')
      headers.push(VERSION_HEADER, agreed.version);
  }

  /** The version of a message that needs mirrored headers; notifications may leave it to the requests before them. */
  #versionOf({ version, ids, method }: OutgoingMessage): string | undefined {
    if (version !== undefined)
      return findRevision(version)?.http.mirroredHeaders === false ? undefined : version;
    const follows = this.#agreed === undefined && ids.length === 0 && method !== undefined;
    return follows ? this.#named : undefined;
  }
}
