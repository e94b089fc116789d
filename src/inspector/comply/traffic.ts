/** The traffic of a run of the validator, put into the timeline as it happens, so that findings can point at it. */

import type { TransportName } from '../api.js';
import { RecordedConversation } from '../recorder/conversation.js';
import type { Recording } from '../recorder/recording.js';
import type { StoredExchange } from '../timeline/stored.js';
import { ownCopy } from '../timeline/weight.js';

/** An entry of the validator's own record. */
export interface RunEntry {
  readonly connection: number;
  readonly direction: 'sent' | 'received';
  readonly kind: 'message' | 'noise' | 'http' | 'end';
  readonly stream?: number;
  readonly text: string;
}

/** Texts of evidence are cut to a length; so much of them has to agree. */
const TELLING = 120;
/** Findings are about what has just been said. */
const MAX_RECENT = 2_000;

export class RunTraffic {
  readonly #recording: Recording;
  readonly #origin: { readonly server: string; readonly run: string; readonly transport: TransportName };
  readonly #conversations = new Map<string, RecordedConversation>();
  readonly #exchanges = new Map<string, StoredExchange>();
  #recent: { readonly seq: number; readonly beginning: string }[] = [];

  constructor(
    recording: Recording,
    origin: { readonly server: string; readonly run: string; readonly transport: TransportName },
  ) {
    this.#recording = recording;
    this.#origin = origin;
  }

  heard(revision: string, entry: RunEntry): void {
    const { connection, direction, kind, stream, text } = entry;
    if (kind === 'end') return;
    const key = `${revision} ${connection}`;
    const way = direction === 'sent' ? 'to-server' : 'to-client';
    if (kind === 'http') {
      const exchange = this.#http(`${key} ${stream}`, direction, text);
      // An exchange that carries a message is covered by that message.
      if (direction === 'received' && exchange !== undefined && exchange.method !== 'POST') {
        this.#conversation(key, connection).http(
          'to-client',
          `${exchange.method} ${exchange.status}`,
          exchange,
        );
      }
      return;
    }
    const exchange = stream === undefined ? undefined : this.#exchanges.get(`${key} ${stream}`);
    const message = this.#conversation(key, connection).hear(way, text, { exchange });
    if (message === undefined) return;
    this.#recent.push({ seq: message.seq, beginning: ownCopy(text.slice(0, TELLING)) });
    if (this.#recent.length > MAX_RECENT * 2) this.#recent = this.#recent.slice(-MAX_RECENT);
  }

  /** The newest messages with these texts. */
  find(texts: readonly (string | undefined)[]): number[] {
    const found = texts.flatMap((text) => {
      if (text === undefined || text.length < 2) return [];
      const telling = text.slice(0, TELLING);
      const message = this.#recent.findLast(({ beginning }) => beginning.startsWith(telling));
      return message === undefined ? [] : [message.seq];
    });
    return [...new Set(found)];
  }

  #http(key: string, direction: RunEntry['direction'], text: string): StoredExchange | undefined {
    const [first = '', ...lines] = text.split('\n');
    const headers = lines.flatMap((line) => {
      const colon = line.indexOf(':');
      return colon < 1 ? [] : [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    const known = this.#exchanges.get(key);
    if (direction === 'sent') {
      const [method = '', url = ''] = first.split(' ');
      const startedAt = this.#recording.now();
      const id = this.#recording.nextExchange();
      this.#exchanges.set(key, { id, method, url, requestHeaders: headers, startedAt });
    } else if (known !== undefined) {
      known.status = Number(/\d{3}/.exec(first)?.[0] ?? 0);
      known.responseHeaders = headers;
      known.headMs = this.#recording.now() - known.startedAt;
    }
    return known;
  }

  #conversation(key: string, connection: number): RecordedConversation {
    let conversation = this.#conversations.get(key);
    if (conversation === undefined) {
      conversation = new RecordedConversation(this.#recording, {
        ...this.#origin,
        source: 'validator',
        hop: 'direct',
        connection,
      });
      this.#conversations.set(key, conversation);
    }
    return conversation;
  }
}
