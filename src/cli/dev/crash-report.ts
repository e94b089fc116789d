/** Why a server did not start, from what it wrote to stderr: the message, and the line of the source that it names. */

import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface CrashReport {
  /** `SyntaxError: Unexpected token`; undefined where nothing looks like an error. */
  readonly message: string | undefined;
  readonly place: SourcePlace | undefined;
}

export interface SourcePlace {
  readonly path: string;
  readonly line: number;
  /** The line with those around it, and a mark. */
  readonly excerpt: readonly string[];
}

const MESSAGE = /^(?:\w+ )?((?:\w*Error|\w*Exception|panic|error)\b(?!\().*)$/;
/** `file:///a/b.ts:12`, `/a/b.ts:12:5`, `C:\a\b.ts:12`, `File "a.py", line 12`. */
const PLACES = [
  /(file:\/\/[^\s:)]+(?::[\\/][^\s:)]*)?):(\d+)/,
  /((?:[A-Za-z]:)?[\\/][^\s:()"]+\.[cm]?[jt]sx?):(\d+)/,
  /File "([^"]+)", line (\d+)/,
  /^\s*([\w./\\-]+\.[A-Za-z]{1,4}):(\d+)(?::\d+)?/,
] as const;
const AROUND = 2;
const MAX_WIDTH = 160;

export function crashReport(stderr: string, directory: string): CrashReport {
  const lines = stderr.split('\n').map((line) => line.trimEnd());
  const message = messageIn(lines);
  for (const line of lines) {
    const place = placeIn(line, directory);
    if (place !== undefined) return { message, place };
  }
  return { message, place: undefined };
}

/** One that ends in a colon goes on in the next line: "Transform failed with 1 error:". */
function messageIn(lines: readonly string[]): string | undefined {
  for (const [index, line] of lines.entries()) {
    const message = MESSAGE.exec(line.trim())?.[1];
    if (message !== undefined)
      return message.endsWith(':') ? `${message} ${lines[index + 1]?.trim() ?? ''}` : message;
  }
  return undefined;
}

/** A place in a file of the user: not in a package, and not in Node itself. */
function placeIn(line: string, directory: string): SourcePlace | undefined {
  for (const pattern of PLACES) {
    const [, named, number] = pattern.exec(line) ?? [];
    if (named === undefined || /node_modules|^node:/.test(named)) continue;
    const path = pathOf(named, directory);
    const excerpt = path === undefined ? undefined : excerptOf(path, Number(number));
    if (path !== undefined && excerpt !== undefined) return { path, line: Number(number), excerpt };
  }
  return undefined;
}

function pathOf(named: string, directory: string): string | undefined {
  if (!named.startsWith('file:')) return isAbsolute(named) ? named : resolve(directory, named);
  try {
    return fileURLToPath(named);
  } catch {
    return undefined;
  }
}

function excerptOf(path: string, line: number): string[] | undefined {
  let lines: string[];
  try {
    lines = readFileSync(path, 'utf8').split('\n');
  } catch {
    return undefined;
  }
  if (line < 1 || line > lines.length) return undefined;
  const first = Math.max(1, line - AROUND);
  const last = Math.min(lines.length, line + AROUND);
  const width = String(last).length;
  return lines.slice(first - 1, last).map((text, index) => {
    const number = first + index;
    const mark = number === line ? '>' : ' ';
    return `${mark} ${String(number).padStart(width)} | ${text.trimEnd().slice(0, MAX_WIDTH)}`;
  });
}
