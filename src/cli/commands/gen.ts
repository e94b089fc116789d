import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSurface } from '../../chain/lock/surface.js';
import { type GenerateOptions, generateClient } from '../../testing/typed/generate.js';
import { EXIT_OK, UsageError } from '../failure/failure.js';
import type { AskFlags, ConnectionFlags } from '../options/flags.js';
import { withSession } from '../session/session.js';
import { type ResolvedTarget, resolveTarget } from '../target/target.js';

export interface GenFlags extends ConnectionFlags, AskFlags {
  readonly out?: string;
  readonly cli?: boolean;
  readonly tsImports?: boolean;
}

export async function gen(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: GenFlags,
): Promise<number> {
  const target = resolveTarget(words, command, flags);
  if (target.rest.length > 0)
    throw new UsageError(`Too many words: ${target.rest.join(' ')}; see plumb gen --help`);
  const { out } = flags;
  if (out === undefined) throw new UsageError('No directory: say where to write with -o DIR');
  const everything = { ...flags, root: flags.root ?? [] };
  return withSession({ target, flags: everything, method: 'tools/list' }, async (session) => {
    const surface = await readSurface(session.client, session.call);
    const options: GenerateOptions = {
      ...(flags.cli === true && { cli: { target: written(target) } }),
      ...(flags.tsImports === true && { tsImports: true }),
    };
    const files = generateClient(surface, options);
    try {
      for (const [path, text] of files) {
        mkdirSync(dirname(join(out, path)), { recursive: true });
        writeFileSync(join(out, path), text);
      }
    } catch (cause) {
      throw new UsageError(`Cannot write to ${out}; choose another directory with -o`, { cause });
    }
    if (flags.json === true) session.json({ directory: out, files: [...files.keys()] });
    else session.note(`plumb: wrote ${files.size} files to ${out}`);
    return EXIT_OK;
  });
}

/** Without environment and headers: those may hold credentials. */
function written({ target }: ResolvedTarget): NonNullable<GenerateOptions['cli']>['target'] {
  if ('url' in target) return String(target.url);
  return { command: target.command, args: [...(target.args ?? [])] };
}
