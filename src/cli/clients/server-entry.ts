/** A server as every client means it, whatever its configuration calls the fields. */

import { UsageError } from '../failure/failure.js';

/** Texts may hold references to environment variables, written `${NAME}`. */
export type ServerEntry = CommandEntry | RemoteEntry;

export interface CommandEntry {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface RemoteEntry {
  readonly kind: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export function referencesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map(([, name = '']) => name);
}

export function replaceReferences(text: string, replacement: (name: string) => string): string {
  return text.replaceAll(REFERENCE, (_whole, name: string) => replacement(name));
}

/** The name, if the text is one reference and nothing else. */
export function onlyReference(text: string): string | undefined {
  const [name] = referencesIn(text);
  return name !== undefined && text === `\${${name}}` ? name : undefined;
}

/** The entry with `change` applied to every text that may hold a reference. */
export function mapTexts(entry: ServerEntry, change: (text: string, field: string) => string): ServerEntry {
  const record = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]));
  if (entry.kind !== 'stdio')
    return { ...entry, url: change(entry.url, 'url'), headers: record(entry.headers) };
  const { command, args, env } = entry;
  return {
    ...entry,
    command: change(command, 'command'),
    args: args.map((word) => change(word, 'args')),
    env: record(env),
  };
}

/** The entry with the values that the variables have here. */
export function withValues(
  entry: ServerEntry,
  environment: Readonly<Record<string, string | undefined>>,
  otherwise: string,
): ServerEntry {
  return mapTexts(entry, (text) =>
    replaceReferences(text, (name) => {
      const value = environment[name];
      if (value !== undefined) return value;
      throw new UsageError(`The environment variable ${name} is not set here; set it, ${otherwise}`);
    }),
  );
}

export function summaryOf(entry: ServerEntry): string {
  return entry.kind === 'stdio' ? [entry.command, ...entry.args].join(' ') : entry.url;
}

const SECRET_NAME = /token|secret|passw|api[-_]?key|credential|^authorization$|private[-_]?key/i;

/** Names of variables and headers whose values are written out and look like secrets. */
export function plainSecrets(entry: ServerEntry): string[] {
  const values = entry.kind === 'stdio' ? entry.env : entry.headers;
  return Object.entries(values)
    .filter(([name, value]) => SECRET_NAME.test(name) && value !== '' && referencesIn(value).length === 0)
    .map(([name]) => name);
}
