/** Server-sent events, writing side. One JSON-RPC message is one event; encoded JSON has no newline in it. */

export function sseMessage(text: string, id?: string): string {
  return id === undefined
    ? `event: message\ndata: ${text}\n\n`
    : `event: message\nid: ${id}\ndata: ${text}\n\n`;
}

/** An event with an id and no data: from here on the client can resume. */
export function ssePriming(id: string): string {
  return `id: ${id}\ndata: \n\n`;
}

/** The event of a stream that is logged, by its place in the log: with its data, or the place alone. */
export function sseLogged(stream: string, entry: string, data: string): string {
  const id = `${stream}.${entry}`;
  return data === '' ? ssePriming(id) : sseMessage(data, id);
}

/** How long the client should wait before it comes back. */
export function sseRetry(milliseconds: number): string {
  return `retry: ${milliseconds}\n\n`;
}

/** Readers skip comments; proxies see traffic and keep the connection. */
export const SSE_KEEP_ALIVE = ': keep-alive\n\n';
