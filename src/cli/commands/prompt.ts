import { parseAssignment } from '../arguments/assignments.js';
import { EXIT_OK, UsageError } from '../failure/failure.js';
import type { AskFlags, ConnectionFlags } from '../options/flags.js';
import { renderMessages } from '../output/content.js';
import { withSession } from '../session/session.js';
import { resolveTarget } from '../target/target.js';

export type PromptFlags = ConnectionFlags & AskFlags;

export async function prompt(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: PromptFlags,
): Promise<number> {
  const target = resolveTarget(words, command, flags);
  const [name, ...pairs] = target.rest;
  if (name === undefined)
    throw new UsageError(
      `No prompt name given; to see what is available, run: ${target.command('list', 'prompts')}`,
    );
  const args = textArguments(pairs);

  return withSession({ target, flags, method: 'prompts/get' }, async ({ client, call, out, json }) => {
    const result = await client.prompts.get(name, args, call);
    if (flags.json === true) json(result);
    else out.write(`${renderMessages(result.messages, out)}\n`);
    return EXIT_OK;
  });
}

/** Arguments of prompts are text, whatever they look like. */
export function textArguments(pairs: readonly string[]): { [name: string]: string } {
  return Object.fromEntries(
    pairs.map((pair) => {
      const { key, text, json } = parseAssignment(pair);
      if (json) throw new UsageError(`${key}:= is for tools; these arguments are text: write ${key}=value`);
      return [key, text];
    }),
  );
}
