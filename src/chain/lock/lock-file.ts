/** The lock file: a surface that was approved, with a hash over all of it and one for each entry. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { McpError } from '../../protocol/errors.js';
import type { ListField } from '../mend.js';
import { canonicalText, canonicalValue, SURFACE_FIELDS, type Surface } from './surface.js';

const LOCK_VERSION = 1;

/** The file cannot be used as a lock. */
export class InvalidLockError extends McpError<'invalid_lock'> {
  constructor(message: string, options?: { cause?: unknown }) {
    super('invalid_lock', message, options);
  }
}

/** The text of the lock file. The same surface makes the same text. */
export async function writeLock(surface: Surface): Promise<string> {
  const { server, revision, instructions, lists } = surface;
  const sections: [string, unknown][] = [];
  for (const field of SURFACE_FIELDS) {
    const entries = lists[field];
    if (entries === undefined) continue;
    sections.push([
      field,
      await Promise.all(
        entries.map(async (entry) => ({ hash: await hashOf(entry), entry: canonicalValue(entry) })),
      ),
    ]);
  }
  const file = {
    lockVersion: LOCK_VERSION,
    server: server ?? null,
    revision,
    hash: await surfaceHash(surface),
    instructions: instructions ?? null,
    ...Object.fromEntries(sections),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Reads and verifies a lock file; `file` is for messages. Throws `InvalidLockError`. */
export async function parseLock(text: string, file: string): Promise<Surface> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InvalidLockError(`${file} is not JSON; write it again with plumb lock`, { cause });
  }
  if (!isRecord(value) || typeof value.lockVersion !== 'number')
    throw new InvalidLockError(`${file} is no lock file; write one with plumb lock`);
  if (value.lockVersion !== LOCK_VERSION) {
    throw new InvalidLockError(
      `${file} has lock version ${value.lockVersion}, and this version of Plumb reads ${LOCK_VERSION}; write it again with plumb lock`,
    );
  }
  const surface = surfaceOf(value);
  const hash = await surfaceHash(surface);
  if (value.hash !== hash) {
    throw new InvalidLockError(
      `${file} was changed by hand or damaged: its hash does not fit its contents; review it and write it again with plumb lock`,
    );
  }
  return surface;
}

function surfaceOf({ server, revision, instructions, ...sections }: JsonObject): Surface {
  const lists: { [Field in ListField]?: readonly JsonObject[] } = {};
  for (const field of SURFACE_FIELDS) {
    const section = sections[field];
    if (!Array.isArray(section)) continue;
    const entries: readonly unknown[] = section.map((item: unknown) =>
      isRecord(item) ? item.entry : undefined,
    );
    lists[field] = entries.filter((entry) => isRecord(entry));
  }
  return {
    server: isRecord(server) ? { name: String(server.name), version: String(server.version) } : undefined,
    revision: String(revision),
    instructions: typeof instructions === 'string' ? instructions : undefined,
    lists,
  };
}

/** Over what is approved: the name and the version of the server may change without it. */
function surfaceHash({ instructions, lists }: Surface): Promise<string> {
  return hashOf({ instructions: instructions ?? null, lists });
}

async function hashOf(value: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalText(value));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sha256-${[...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
