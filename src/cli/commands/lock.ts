import { writeFileSync } from 'node:fs';
import { writeLock } from '../../chain/lock/lock-file.js';
import { readSurface, SURFACE_FIELDS } from '../../chain/lock/surface.js';
import { EXIT_OK, UsageError } from '../failure/failure.js';
import type { AskFlags, ConnectionFlags } from '../options/flags.js';
import { withSession } from '../session/session.js';
import { resolveTarget } from '../target/target.js';

export const LOCK_FILE = 'plumb.lock.json';

export interface LockFlags extends ConnectionFlags, AskFlags {
  readonly out?: string;
  /** False with `--no-resources`. */
  readonly resources?: boolean;
}

export async function lock(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: LockFlags,
): Promise<number> {
  const target = resolveTarget(words, command, flags);
  if (target.rest.length > 0)
    throw new UsageError(`Too many words: ${target.rest.join(' ')}; see plumb lock --help`);
  const file = flags.out ?? LOCK_FILE;
  const fields =
    flags.resources === false ? SURFACE_FIELDS.filter((field) => field !== 'resources') : SURFACE_FIELDS;
  // Some servers show tools only to clients that can do what they ask for, as a chain does.
  const everything = { ...flags, root: flags.root ?? [] };
  return withSession({ target, flags: everything, method: 'tools/list' }, async (session) => {
    const surface = await readSurface(session.client, session.call, fields);
    const text = await writeLock(surface);
    if (file === '-' || flags.json === true) session.out.write(text);
    if (file === '-') return EXIT_OK;
    try {
      writeFileSync(file, text);
    } catch (cause) {
      throw new UsageError(`Cannot write ${file}; choose another file with -o`, { cause });
    }
    const counts = fields.map((field) => `${surface.lists[field]?.length ?? 0} ${WORDS[field]}`).join(', ');
    session.note(`plumb: locked ${counts} in ${file}`);
    return EXIT_OK;
  });
}

const WORDS = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  resourceTemplates: 'resource templates',
} as const;
