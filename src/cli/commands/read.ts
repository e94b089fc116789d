import { EXIT_OK, UsageError } from '../failure/failure.js';
import type { AskFlags, ConnectionFlags } from '../options/flags.js';
import { renderContents } from '../output/content.js';
import { bytesOfContents, save } from '../output/save.js';
import { withSession } from '../session/session.js';
import { resolveTarget } from '../target/target.js';

export interface ReadFlags extends ConnectionFlags, AskFlags {
  readonly out?: string;
}

export async function read(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: ReadFlags,
): Promise<number> {
  const target = resolveTarget(words, command, flags);
  const [uri, ...rest] = target.rest;
  if (uri === undefined)
    throw new UsageError(
      `No URI given; to see what is available, run: ${target.command('list', 'resources')}`,
    );
  if (rest.length > 0) throw new UsageError(`Too many arguments: ${rest.join(' ')}; a read takes one URI`);

  return withSession(
    { target, flags, method: 'resources/read' },
    async ({ client, call, out, note, json }) => {
      const result = await client.resources.read(uri, call);
      if (flags.out !== undefined)
        for (const line of save(flags.out, bytesOfContents(result.contents))) note(line);
      if (flags.json === true) json(result);
      else if (flags.out === undefined) {
        const text = renderContents(result.contents, out);
        out.write(text.endsWith('\n') ? text : `${text}\n`);
      }
      return EXIT_OK;
    },
  );
}
