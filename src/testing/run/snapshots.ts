/** Results kept in files, and compared with what comes later. */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../jsonrpc/message.js';
import { describeDifferences, differences, sortedKeys } from '../expect/difference.js';
import { omit, pick } from '../expect/json-path.js';
import type { SnapshotDefinition } from '../suite/definition.js';
import type { SnapshotReport } from './result.js';

export interface SnapshotSubject {
  readonly type: string;
  readonly testName: string;
  readonly server: string;
}

export interface SnapshotOptions {
  readonly directory: string;
  readonly update: boolean;
}

export interface SnapshotOutcome extends SnapshotReport {
  readonly ok: boolean;
}

export function compareSnapshot(
  result: unknown,
  definition: SnapshotDefinition,
  subject: SnapshotSubject,
  options: SnapshotOptions,
): SnapshotOutcome {
  const name = definition.name ?? defaultName(subject);
  const directory = definition.directory ?? options.directory;
  const file = join(directory, `${fileName(name)}.snap.json`);
  const update = definition.update ?? options.update;
  const data = selected(result, definition);
  const stored = read(file);
  const found =
    stored === undefined ? undefined : differences(selected(stored.data, definition), data, 'exact');
  if (found !== undefined && found.length === 0) return { name, ok: true, updated: false };
  if (update) {
    write(directory, file, {
      name,
      timestamp: new Date().toISOString(),
      data,
      metadata: metadataOf(subject),
    });
    return { name, ok: true, updated: true };
  }
  const diff =
    found === undefined
      ? `there is no snapshot "${name}"; create it with --update-snapshots (or UPDATE_SNAPSHOTS=true)`
      : describeDifferences(found);
  return { name, ok: false, updated: false, diff };
}

function selected(value: unknown, { include, exclude }: SnapshotDefinition): unknown {
  // As JSON has it, so that what was just received and what was read from a file compare equal.
  const plain: unknown = JSON.parse(JSON.stringify(value ?? null));
  const chosen = include.length === 0 ? plain : pick(plain, include);
  return sortedKeys(exclude.length === 0 ? chosen : omit(chosen, exclude));
}

function metadataOf({ type, testName, server }: SnapshotSubject): object {
  return { testType: type, testName, serverCommand: server };
}

function defaultName({ type, testName }: SnapshotSubject): string {
  const base = `${type}-${type === 'resource' ? testName.replaceAll(/[^a-zA-Z0-9-]/g, '_') : testName}`;
  return `${base}-${createHash('md5').update(base).digest('hex').slice(0, 8)}`;
}

/** A name of a server must not lead out of the directory. */
function fileName(name: string): string {
  return name
    .replaceAll(/[^\w.: -]/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, 150);
}

function read(file: string): { readonly data: unknown } | undefined {
  if (!existsSync(file)) return undefined;
  const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return isRecord(content) ? { data: content.data } : undefined;
}

function write(directory: string, file: string, content: object): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
