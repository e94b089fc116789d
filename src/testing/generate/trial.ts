/** Makes a generated call once, to write down what the server does with it. */

import type { Client } from '../../client/client.js';
import type { CallOptions } from '../../client/options.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { Deadline } from '../../protocol/deadline.js';
import { ProtocolError } from '../../protocol/errors.js';
import { blocksOf, textOfResult } from '../expect/subject.js';

export type Trial =
  | { readonly kind: 'result'; readonly result: JsonObject; readonly blocks: readonly string[] }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'error'; readonly code: number; readonly text: string }
  | { readonly kind: 'silent'; readonly text: string };

const MAX_TEXT = 120;

export async function tryCall(
  call: (options: CallOptions) => Promise<object>,
  timeout: number,
): Promise<Trial> {
  // The time limit of a call ends with its answer; a task that follows may take as long as it likes.
  const deadline = new Deadline(timeout);
  try {
    const options = { timeout, maxTimeout: timeout, retry: false, cache: 'no-store' } as const;
    const result: JsonObject = { ...(await call({ ...options, signal: deadline.signal })) };
    if (result.isError === true) return { kind: 'failed', text: clip(textOfResult(result)) };
    return { kind: 'result', result, blocks: blocksOf(result).map(blockType) };
  } catch (error) {
    if (deadline.signal.aborted) return { kind: 'silent', text: `not done within ${timeout / 1000} s` };
    const text = clip(error instanceof Error ? error.message : String(error));
    return error instanceof ProtocolError
      ? { kind: 'error', code: error.rpcCode, text }
      : { kind: 'silent', text };
  } finally {
    deadline.clear();
  }
}

function blockType(block: JsonObject): string {
  const content = isRecord(block.content) ? block.content : block;
  return String(content.type ?? '');
}

function clip(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}...` : line;
}

/** The first suggestion of the server for an argument. */
export async function suggested(
  client: Client,
  prompt: string,
  argument: string,
): Promise<string | undefined> {
  if (client.capabilities.completions === undefined) return undefined;
  try {
    const { completion } = await client.completion.complete(
      { type: 'ref/prompt', name: prompt },
      { name: argument, value: '' },
      { timeout: 5_000 },
    );
    return completion.values[0];
  } catch {
    return undefined;
  }
}
