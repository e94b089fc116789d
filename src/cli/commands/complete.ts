import { singleLine } from '../../protocol/display.js';
import type { CompletionReference } from '../../protocol/model/completion.js';
import { EXIT_OK, UsageError } from '../failure/failure.js';
import type { ConnectionFlags } from '../options/flags.js';
import { withSession } from '../session/session.js';
import { resolveTarget } from '../target/target.js';
import { textArguments } from './prompt.js';

export interface CompleteFlags extends ConnectionFlags {
  readonly with?: readonly string[];
}

export async function complete(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: CompleteFlags,
): Promise<number> {
  const target = resolveTarget(words, command, flags);
  const [reference, name, value = '', ...rest] = target.rest;
  if (reference === undefined || name === undefined) {
    throw new UsageError(
      'Give what to complete: prompt:NAME or resource:TEMPLATE, then the argument, then its beginning',
    );
  }
  if (rest.length > 0)
    throw new UsageError(`Too many arguments: ${rest.join(' ')}; see plumb complete --help`);
  const ref = parseReference(reference);
  const known = flags.with === undefined ? undefined : { arguments: textArguments(flags.with) };

  return withSession(
    { target, flags, method: 'completion/complete' },
    async ({ client, call, out, note, json }) => {
      const result = await client.completion.complete(ref, { name, value }, { ...call, context: known });
      if (flags.json === true) {
        json(result);
        return EXIT_OK;
      }
      const { values, total, hasMore } = result.completion;
      for (const item of values) out.write(`${singleLine(item)}\n`);
      if (hasMore === true)
        note(total === undefined ? 'There are more.' : `${values.length} of ${total} shown.`);
      return EXIT_OK;
    },
  );
}

function parseReference(text: string): CompletionReference {
  const colon = text.indexOf(':');
  const kind = text.slice(0, Math.max(0, colon));
  const name = text.slice(colon + 1);
  if (kind === 'prompt' && name !== '') return { type: 'ref/prompt', name };
  if (kind === 'resource' && name !== '') return { type: 'ref/resource', uri: name };
  throw new UsageError(`"${text}" must be prompt:NAME or resource:TEMPLATE`);
}
