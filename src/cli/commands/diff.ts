import { existsSync } from 'node:fs';
import { InvalidLockError } from '../../chain/lock/lock-file.js';
import { readSurface, SURFACE_FIELDS, type Surface } from '../../chain/lock/surface.js';
import { readLock } from '../../chain/node-lock-file.js';
import { safeJson, singleLine } from '../../protocol/display.js';
import {
  type ChangeLevel,
  compareSurfaces,
  type SurfaceChange,
} from '../../testing/contract/surface-change.js';
import { EXIT_FAILED, EXIT_OK, UsageError } from '../failure/failure.js';
import type { AskFlags, ConnectionFlags } from '../options/flags.js';
import { createTerminal, type Terminal } from '../output/terminal.js';
import { withSession } from '../session/session.js';
import { resolveTarget } from '../target/target.js';
import { LOCK_FILE } from './lock.js';

export interface DiffFlags extends ConnectionFlags, AskFlags {
  readonly lock?: string;
  readonly failOn: 'breaking' | 'model' | 'any' | 'none';
}

export async function diff(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: DiffFlags,
): Promise<number> {
  const [first, second, ...more] = words;
  if (
    command === undefined &&
    first !== undefined &&
    second !== undefined &&
    isFile(first) &&
    isFile(second)
  ) {
    if (more.length > 0) throw new UsageError(`Too many words: ${more.join(' ')}; see plumb diff --help`);
    return report(await read(first), await read(second), flags, createTerminal(process.stdout));
  }
  const target = resolveTarget(words, command, flags);
  if (target.rest.length > 0)
    throw new UsageError(`Too many words: ${target.rest.join(' ')}; see plumb diff --help`);
  const before = await read(flags.lock ?? LOCK_FILE);
  const fields = SURFACE_FIELDS.filter((field) => before.lists[field] !== undefined);
  // As plumb lock does.
  const everything = { ...flags, root: flags.root ?? [] };
  return withSession({ target, flags: everything, method: 'tools/list' }, async ({ client, call, out }) =>
    report(before, await readSurface(client, call, fields), flags, out),
  );
}

function isFile(word: string): boolean {
  return word.endsWith('.json') && existsSync(word);
}

async function read(file: string): Promise<Surface> {
  try {
    return await readLock(file);
  } catch (error) {
    if (error instanceof InvalidLockError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

function report(before: Surface, after: Surface, { json, failOn }: DiffFlags, out: Terminal): number {
  const changes = compareSurfaces(before, after);
  if (json === true) out.write(`${safeJson({ changes }, 2)}\n`);
  else if (changes.length === 0) out.write('Nothing changed\n');
  else for (const change of changes) out.write(`${describe(change, out)}\n`);
  return changes.some(({ level }) => FAILING[failOn].includes(level)) ? EXIT_FAILED : EXIT_OK;
}

const FAILING: Readonly<Record<DiffFlags['failOn'], readonly ChangeLevel[]>> = {
  none: [],
  breaking: ['breaking'],
  model: ['breaking', 'model'],
  any: ['breaking', 'model', 'compatible'],
};

const STYLES = { breaking: 'red', model: 'yellow', compatible: 'dim' } as const;

function describe({ level, kind, name, what }: SurfaceChange, out: Terminal): string {
  const subject = name === '' ? kind : `${kind} ${name}`;
  return `${out.style(STYLES[level], level.padEnd(10))}  ${singleLine(`${subject}: ${what}`)}`;
}
