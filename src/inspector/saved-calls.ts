/** Calls that people keep for later, in a file of the user's. */

import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isRecord } from '../jsonrpc/message.js';
import { replaceFileSync } from '../transports/stdio/replace-file.js';
import type { SavedCall } from './api.js';
import type { EventSink } from './events.js';
import { CommandError } from './failure.js';

const MAX_SAVED = 1_000;

export class SavedCalls {
  readonly #emit: EventSink;
  /** Without a file they last as long as the process. */
  readonly #path: string | undefined;
  #calls: readonly SavedCall[];

  constructor(emit: EventSink, path: string | undefined) {
    this.#emit = emit;
    this.#path = path;
    this.#calls = path === undefined ? [] : read(path);
  }

  all(): readonly SavedCall[] {
    return this.#calls;
  }

  save(given: Pick<SavedCall, 'name' | 'server' | 'target' | 'collection'>): SavedCall {
    if (this.#calls.length >= MAX_SAVED) {
      throw new CommandError(429, 'too_many_saved', 'Too many saved calls; forget some of them first');
    }
    const call: SavedCall = { id: randomUUID(), ...given, savedAt: Date.now() };
    this.#replace([...this.#calls, call]);
    return call;
  }

  forget(id: string): void {
    this.#replace(this.#calls.filter((call) => call.id !== id));
  }

  #replace(calls: readonly SavedCall[]): void {
    if (this.#path !== undefined) write(this.#path, calls);
    this.#calls = calls;
    this.#emit({ type: 'saved', saved: calls });
  }
}

/** What cannot be read is left alone until something is saved. */
function read(path: string): readonly SavedCall[] {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const calls: unknown = isRecord(content) ? content.calls : undefined;
    return Array.isArray(calls) ? calls.filter(isSavedCall) : [];
  } catch {
    return [];
  }
}

/** Arguments may hold secrets, so the file is the user's alone; and never half written. */
function write(path: string, calls: readonly SavedCall[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify({ calls }, null, 2)}\n`, { mode: 0o600 });
  replaceFileSync(temporary, path);
}

function isSavedCall(value: unknown): value is SavedCall {
  return (
    isRecord(value) &&
    typeof value.id === 'string' &&
    typeof value.name === 'string' &&
    typeof value.server === 'string' &&
    typeof value.savedAt === 'number' &&
    (value.collection === undefined || typeof value.collection === 'string') &&
    isRecord(value.target) &&
    typeof value.target.kind === 'string'
  );
}
