/** What completes the arguments of prompts and resource templates. */

import { isRecord } from '../jsonrpc/message.js';
import type { JsonSchema } from '../protocol/model/base.js';
import type { Context } from './context.js';

/** Values for what the user has typed so far. `known` holds the arguments already filled in. */
export type Completer = (
  value: string,
  known: Readonly<Record<string, string>>,
  ctx: Context,
) => Completions | Promise<Completions>;

export type Completions =
  | readonly string[]
  | { readonly values: readonly string[]; readonly total?: number; readonly hasMore?: boolean };

/** A function, or all the values there are. */
export type Completers = Readonly<Record<string, Completer | readonly string[]>>;

/** The choices of a schema's properties: `enum`, and members with a `const`. */
export function choiceCompleters(schema: JsonSchema): Completers {
  if (!isRecord(schema.properties)) return {};
  const found = Object.entries(schema.properties).map(([name, property]): [string, string[]] => [
    name,
    choices(property),
  ]);
  return Object.fromEntries(found.filter(([, values]) => values.length > 0));
}

function choices(property: unknown): string[] {
  if (!isRecord(property)) return [];
  const { enum: values, anyOf, oneOf } = property;
  if (Array.isArray(values)) return values.filter((value) => typeof value === 'string');
  const members = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  return members.flatMap((member: unknown) =>
    isRecord(member) && typeof member.const === 'string' ? [member.const] : choices(member),
  );
}
