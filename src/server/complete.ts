/** `completion/complete`: values for what the user has typed so far. Loaded with the first of these requests. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { invalidParams } from '../protocol/errors.js';
import type { CompleteResult } from '../protocol/model/completion.js';
import type { Completers, Completions } from './completion.js';
import type { Context } from './context.js';

/** Values that begin with what was typed, and then those that have it elsewhere. */
function matching(values: readonly string[], typed: string): readonly string[] {
  const text = typed.toLowerCase();
  const places = values.map((value) => ({ value, place: value.toLowerCase().indexOf(text) }));
  const first = places.filter(({ place }) => place === 0);
  return [...first, ...places.filter(({ place }) => place > 0)].map(({ value }) => value);
}

/** The most values one answer may hold (Completion, response limits). */
const MAX_VALUES = 100;

export interface CompletionTarget {
  readonly argument: string;
  readonly value: string;
  readonly known: Readonly<Record<string, string>>;
}

export function parseCompletion(params: JsonObject): {
  readonly ref: JsonObject;
  readonly target: CompletionTarget;
} {
  const { ref, argument, context } = params;
  if (!isRecord(ref) || (ref.type !== 'ref/prompt' && ref.type !== 'ref/resource')) {
    throw invalidParams(
      '"ref" must be a prompt reference (ref/prompt) or a resource reference (ref/resource)',
    );
  }
  if (!isRecord(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string') {
    throw invalidParams('"argument" must have a string "name" and a string "value"');
  }
  const known: Record<string, string> = {};
  if (isRecord(context) && isRecord(context.arguments)) {
    for (const [name, value] of Object.entries(context.arguments)) {
      if (typeof value === 'string') known[name] = value;
    }
  }
  return { ref, target: { argument: argument.name, value: argument.value, known } };
}

export async function complete(
  completers: Completers,
  target: CompletionTarget,
  ctx: Context,
): Promise<CompleteResult> {
  const completer = Object.hasOwn(completers, target.argument) ? completers[target.argument] : undefined;
  if (completer === undefined) return { completion: { values: [], total: 0, hasMore: false } };
  const found =
    typeof completer === 'function'
      ? await completer(target.value, target.known, ctx)
      : matching(completer, target.value);
  const { values, total, hasMore } = isList(found)
    ? { values: found, total: found.length, hasMore: undefined }
    : found;
  const shown = values.slice(0, MAX_VALUES);
  return {
    completion: {
      values: shown,
      ...(total === undefined ? {} : { total }),
      hasMore: hasMore ?? (values.length > shown.length || (total ?? 0) > shown.length),
    },
  };
}

function isList(found: Completions): found is readonly string[] {
  return Array.isArray(found);
}
