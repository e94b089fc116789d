/** Server-sent events with everything a judge wants to see: ids, retry values and comments included. */

export interface RawSseEvent {
  readonly event: string | undefined;
  /** Undefined when the event has no data line at all. */
  readonly data: string | undefined;
  readonly id: string | undefined;
  readonly retry: number | undefined;
}

export class SseEventReader {
  readonly #onEvent: (event: RawSseEvent) => void;
  readonly #decoder = new TextDecoder();
  #text = '';

  constructor(onEvent: (event: RawSseEvent) => void) {
    this.#onEvent = onEvent;
  }

  push(chunk: Uint8Array): void {
    // What was searched before is not searched again, but for a boundary that the chunks cut in two.
    const searched = Math.max(0, this.#text.length - 3);
    this.#text += this.#decoder.decode(chunk, { stream: true });
    const end = /\r\n\r\n|\n\n|\r\r/g;
    end.lastIndex = searched;
    let start = 0;
    for (let match = end.exec(this.#text); match !== null; match = end.exec(this.#text)) {
      this.#read(this.#text.slice(start, match.index));
      start = match.index + match[0].length;
    }
    this.#text = this.#text.slice(start);
  }

  #read(block: string): void {
    const fields = new Map<string, string[]>();
    for (const line of block.split(/\r\n|\n|\r/)) {
      if (line === '' || line.startsWith(':')) continue;
      const colon = line.indexOf(':');
      const name = colon === -1 ? line : line.slice(0, colon);
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
      fields.set(name, [...(fields.get(name) ?? []), value]);
    }
    if (fields.size === 0) return;
    const retry = fields.get('retry')?.at(-1);
    this.#onEvent({
      event: fields.get('event')?.at(-1),
      data: fields.get('data')?.join('\n'),
      id: fields.get('id')?.at(-1),
      retry: retry !== undefined && /^\d+$/.test(retry) ? Number(retry) : undefined,
    });
  }
}
