/**
 * Reads the framing of the Language Server Protocol (`Content-Length: N`, blank line, N bytes) beside plain lines, for
 * peers that were built on an LSP library. MCP never specified it, so it is read only where the user asked for it, and
 * never written. A header is unmistakable: no JSON text starts with a letter C.
 */

import { LineBuffer } from './line-buffer.js';
import { DEFAULT_MAX_LINE_BYTES, type LineReader, type LineReaderOptions, unbroken } from './ndjson.js';

const NEWLINE = 0x0a;
const LENGTH_HEADER = /^\uFEFF?content-length: *(\d{1,15})$/i;

type Mode =
  | { readonly kind: 'line' }
  | { readonly kind: 'header'; readonly bodyBytes: number }
  | { readonly kind: 'body'; readonly bodyBytes: number };

const LINE: Mode = { kind: 'line' };

export function createContentLengthReader(options: LineReaderOptions): LineReader {
  const buffer = new LineBuffer(options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES);
  let mode: Mode = LINE;

  function push(chunk: Uint8Array): void {
    let start = 0;
    while (start < chunk.length) {
      if (mode.kind === 'body') {
        const end = Math.min(chunk.length, start + mode.bodyBytes - buffer.length);
        buffer.append(chunk, start, end);
        start = end;
        if (buffer.length === mode.bodyBytes) finishBody();
        continue;
      }
      const newline = chunk.indexOf(NEWLINE, start);
      buffer.append(chunk, start, newline === -1 ? chunk.length : newline);
      if (newline === -1) return;
      start = newline + 1;
      finishLine();
    }
  }

  function finishLine(): void {
    const line = take()?.replace(/\r$/, '');
    const bodyBytes = line === undefined ? undefined : LENGTH_HEADER.exec(line)?.[1];
    if (bodyBytes !== undefined) {
      mode = { kind: 'header', bodyBytes: Number(bodyBytes) };
    } else if (mode.kind === 'header' && line === '') {
      mode = mode.bodyBytes === 0 ? LINE : { kind: 'body', bodyBytes: mode.bodyBytes };
    } else if (mode.kind === 'line' || line?.startsWith('{')) {
      mode = LINE;
      emit(line);
    }
  }

  function finishBody(): void {
    mode = LINE;
    emit(take());
  }

  /** What was gathered, or `undefined` when it was too long, which is then reported. */
  function take(): string | undefined {
    const bytes = buffer.length;
    const oversize = buffer.overflowed;
    const text = oversize ? buffer.sample() : buffer.text();
    const ending = oversize ? buffer.ending() : '';
    buffer.reset();
    if (!oversize) return text;
    options.onOversize(bytes, text, ending);
    return undefined;
  }

  function emit(text: string | undefined): void {
    if (text === undefined) return;
    const line = unbroken(text).replace(/^\uFEFF/, '');
    if (/[^ \t\r]/.test(line)) options.onLine(line);
  }

  function end(): void {
    if (buffer.length > 0) emit(take());
  }

  return { push, end };
}
