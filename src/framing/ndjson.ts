/**
 * Newline-delimited JSON: bytes to lines, and messages to lines.
 * How the bytes were cut into chunks never shows in the lines. Every byte is scanned and copied a bounded number of
 * times, whatever the length of the line it belongs to.
 */

import { encodeMessage } from '../jsonrpc/encode.js';
import type { Message } from '../jsonrpc/message.js';
import { decodeUtf8, LineBuffer } from './line-buffer.js';

export const DEFAULT_MAX_LINE_BYTES: number = 16 * 1024 * 1024;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const NOT_BLANK = /[^ \t\r]/;
const BYTE_ORDER_MARK = 0xfeff;

export interface LineReader {
  push(chunk: Uint8Array): void;
  /** The stream is over: a last line without a newline is delivered. */
  end(): void;
}

export interface LineReaderOptions {
  /** Longest line accepted, without its newline. */
  readonly maxLineBytes?: number;
  /**
   * A line that is not blank, without its line ending. It may share memory with the text of its whole chunk, which
   * matters only to those who keep a few lines out of many for long.
   */
  onLine(text: string): void;
  /** A line was too long and was dropped: its full size, how it began, and how it ended. */
  onOversize(bytes: number, sample: string, ending: string): void;
}

export function createLineReader(options: LineReaderOptions): LineReader {
  const maxLineBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
  const partial = new LineBuffer(maxLineBytes);
  let atStart = true;

  function push(chunk: Uint8Array): void {
    // Pieces no longer than the limit hold no complete line that is too long, so the fast path need not measure lines.
    for (let start = 0; start < chunk.length; start += maxLineBytes) {
      const whole = start === 0 && chunk.length <= maxLineBytes;
      pushPiece(whole ? chunk : chunk.subarray(start, start + maxLineBytes));
    }
  }

  function pushPiece(piece: Uint8Array): void {
    let start = 0;
    if (partial.length > 0) {
      const end = piece.indexOf(NEWLINE);
      if (end === -1) {
        partial.append(piece, 0, piece.length);
        return;
      }
      partial.append(piece, 0, end);
      finishPartial();
      start = end + 1;
    }
    const end = piece.lastIndexOf(NEWLINE) + 1;
    // One decode for all complete lines: decoding costs far more per call than per byte, and slicing text is nearly free.
    if (end > start)
      emitLines(decodeUtf8(start === 0 && end === piece.length ? piece : piece.subarray(start, end)));
    const rest = Math.max(start, end);
    if (rest < piece.length) partial.append(piece, rest, piece.length);
  }

  function finishPartial(): void {
    const bytes = partial.length;
    const oversize = partial.overflowed;
    const text = oversize ? partial.sample() : partial.text();
    const ending = oversize ? partial.ending() : '';
    partial.reset();
    if (!oversize) {
      emit(text);
      return;
    }
    atStart = false;
    options.onOversize(bytes, text, ending);
  }

  function emitLines(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = text.slice(start, end);
      start = end + 1;
      emit(line);
    }
  }

  function emit(line: string): void {
    let text = line;
    if (atStart) {
      atStart = false;
      if (text.charCodeAt(0) === BYTE_ORDER_MARK) text = text.slice(1);
    }
    if (text.charCodeAt(text.length - 1) === CARRIAGE_RETURN) text = text.slice(0, -1);
    if (text.length === 0 || (text.charCodeAt(0) <= SPACE && !NOT_BLANK.test(text))) return;
    options.onLine(text);
  }

  function end(): void {
    if (partial.length > 0) finishPartial();
  }

  return { push, end };
}

/** The message as one line of JSON, without the newline. A text may still have line breaks, see `joinLines`. */
export function encodeLine(message: Message | string): string {
  return typeof message === 'string' ? message : encodeMessage(message);
}

/** All lines in one text, each with its newline. Whether one has line breaks of its own is seen at once for all. */
export function joinLines(lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const text = `${lines.join('\n')}\n`;
  return lines.length === countNewlines(text) ? text : `${lines.map(unbroken).join('\n')}\n`;
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/**
 * JSON text without raw line breaks. A text that arrived by other means (an HTTP body) may be spread over lines, and
 * passed on as it is it would become several messages. Outside strings a break is white space; inside it is no JSON.
 */
export function unbroken(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json;
}
