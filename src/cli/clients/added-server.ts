/** What `plumb add` is asked to add: from words on the command line to an entry. */

import { existsSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { UsageError } from '../failure/failure.js';
import { readRegistryServer } from './registry-server.js';
import type { RemoteEntry, ServerEntry } from './server-entry.js';

export interface AddedServer {
  readonly name: string;
  readonly entry: ServerEntry;
}

export interface SourceFlags {
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly transport?: 'http' | 'sse';
}

const NPM = 'npm:';
const NAME = /^[A-Za-z0-9_-]+$/;
const EXPECTED = 'give a URL, npm:PACKAGE, a server.json file, or a command last, after --';

/** Whether a word alone names where a server is. */
export function isTarget(word: string): boolean {
  return /^https?:\/\//i.test(word) || word.startsWith(NPM) || (word.endsWith('.json') && existsSync(word));
}

export function assertName(name: string): string {
  if (NAME.test(name)) return name;
  throw new UsageError(`"${name}" is not a name that every client takes; use letters, digits, - and _`);
}

/** `words` are the name (where one is given), the target, and arguments of a package. */
export function parseServer(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: SourceFlags,
): AddedServer {
  if (command !== undefined) {
    const [name, ...more] = words;
    if (more.length > 0)
      throw new UsageError(`Too many words: ${more.join(' ')}; the command stands after --`);
    const [program, ...args] = command;
    if (program === undefined)
      throw new UsageError('Nothing after --: give the command that starts the server');
    return finished(name ?? nameOf([program, ...args].findLast((word) => !word.startsWith('-')) ?? program), {
      entry: { kind: 'stdio', command: program, args, env: {} },
      flags,
    });
  }
  const [first, second] = words;
  if (first === undefined) throw new UsageError(`Nothing to add: ${EXPECTED}`);
  if (isTarget(first)) return fromTarget(undefined, first, words.slice(1), flags);
  if (second === undefined) throw new UsageError(`No target for "${first}": ${EXPECTED}`);
  return fromTarget(first, second, words.slice(2), flags);
}

function fromTarget(
  name: string | undefined,
  target: string,
  rest: readonly string[],
  flags: SourceFlags,
): AddedServer {
  if (target.startsWith(NPM)) {
    const packageName = target.slice(NPM.length);
    if (!/^(@[\w.-]+\/)?[\w.-]+(@[\w.^~*-]+)?$/.test(packageName)) {
      throw new UsageError(
        `"${target}" is not an npm package; write npm:NAME, npm:@SCOPE/NAME or npm:NAME@VERSION`,
      );
    }
    const entry: ServerEntry = { kind: 'stdio', command: 'npx', args: ['-y', packageName, ...rest], env: {} };
    return finished(name ?? nameOf(packageName), { entry, flags });
  }
  if (rest.length > 0) throw new UsageError(`Too many words: ${rest.join(' ')}; see plumb add --help`);
  if (/^https?:\/\//i.test(target)) {
    if (!URL.canParse(target)) throw new UsageError(`"${target}" is not a valid URL`);
    const entry: RemoteEntry = { kind: flags.transport ?? 'http', url: target, headers: {} };
    return finished(
      name ?? nameOf(new URL(target).hostname.replace(/^(mcp|www|api)\./, '').split('.')[0] ?? ''),
      { entry, flags },
    );
  }
  if (target.endsWith('.json')) {
    const found = readRegistryServer(target);
    const given = new Set([
      ...(flags.env ?? []).map((text) => text.split('=')[0]),
      ...(flags.header ?? []).map((text) => text.split(':')[0]?.trim()),
    ]);
    const missing = found.missing.filter((needed) => !given.has(needed));
    if (missing.length > 0) {
      const option = found.entry.kind === 'stdio' ? '--env NAME=value' : "--header 'NAME: value'";
      throw new UsageError(
        `The server needs ${missing.join(', ')}; give ${missing.length === 1 ? 'it' : 'each'} with ${option}`,
      );
    }
    return finished(name ?? nameOf(found.name), { entry: found.entry, flags });
  }
  throw new UsageError(`"${target}" is not a target: ${EXPECTED}`);
}

/** The entry with the variables and headers of the command line. */
function finished(name: string, { entry, flags }: { entry: ServerEntry; flags: SourceFlags }): AddedServer {
  return { name: assertName(name), entry: withFlags(entry, flags) };
}

export function withFlags(
  entry: ServerEntry,
  { env = [], header = [], transport }: SourceFlags,
): ServerEntry {
  if (entry.kind === 'stdio') {
    if (header.length > 0 || transport !== undefined) {
      throw new UsageError(
        '--header and --transport are for URLs, not for servers that are started by a command',
      );
    }
    return { ...entry, env: { ...entry.env, ...Object.fromEntries(env.map(parseVariable)) } };
  }
  if (env.length > 0)
    throw new UsageError('--env is for servers that are started by a command, not for URLs');
  return {
    ...entry,
    kind: transport ?? entry.kind,
    headers: { ...entry.headers, ...Object.fromEntries(header.map(parseHeader)) },
  };
}

/** `NAME=value`, or `NAME` alone for a reference to the variable. */
function parseVariable(text: string): [string, string] {
  const [, name, , value] = /^([A-Za-z_]\w*)(=([\s\S]*))?$/.exec(text) ?? [];
  if (name === undefined)
    throw new UsageError(`--env ${JSON.stringify(text)} must be NAME=value, or NAME for a reference`);
  return [name, value ?? `\${${name}}`];
}

function parseHeader(text: string): [string, string] {
  const colon = text.indexOf(':');
  if (colon < 1) throw new UsageError(`--header ${JSON.stringify(text)} must look like "Name: value"`);
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}

/** `@modelcontextprotocol/server-memory@1.2` as `memory`. */
function nameOf(text: string): string {
  const last =
    text
      .replace(/(?<=.)@[^@/]*$/, '')
      .split(/[\\/]/)
      .at(-1) ?? text;
  const short = last
    .replace(/\.(m|c)?[jt]s$|\.py$/, '')
    .replace(/^(mcp-)?server-|-(mcp-)?server$|^mcp-|-mcp$/g, '');
  return short.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'server';
}

/** A client starts servers in a folder of its own choice, so files of this folder need their full path. */
export function withFullPaths(entry: ServerEntry, directory: string): ServerEntry {
  if (entry.kind !== 'stdio') return entry;
  const full = (word: string): string => (isRelativeFile(word, directory) ? resolve(directory, word) : word);
  const command = /[\\/]/.test(entry.command) ? full(entry.command) : entry.command;
  return { ...entry, command, args: entry.args.map(full) };
}

function isRelativeFile(word: string, directory: string): boolean {
  if (word === '' || word.startsWith('-') || isAbsolute(word) || !/[\\/.]/.test(word)) return false;
  const path = resolve(directory, word);
  return existsSync(path) && (statSync(path).isFile() || /^\.{1,2}([\\/]|$)/.test(word));
}
