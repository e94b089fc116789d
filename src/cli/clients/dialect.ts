/** Entries in the words of a client: most clients differ in the names of a few fields only. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { replaceReferences, type ServerEntry } from './server-entry.js';

export interface Dialect {
  /** Values of `type`; a kind without one is written without a type. */
  readonly types?: Partial<Readonly<Record<ServerEntry['kind'], string>>>;
  readonly url?: string;
  /** When another field holds the URL of the old HTTP+SSE transport. */
  readonly sseUrl?: string;
  readonly env?: string;
  readonly headers?: string;
  /** One list of the program and its arguments. */
  readonly commandList?: boolean;
  /** Fields that every entry gets. */
  readonly extra?: JsonObject;
  /** A reference to an environment variable. */
  readonly reference?: (name: string) => string;
}

export function writeEntry(entry: ServerEntry, dialect: Dialect): JsonObject {
  const {
    types = {},
    env = 'env',
    headers = 'headers',
    extra = {},
    reference = (name) => `\${${name}}`,
  } = dialect;
  const text = (value: string): string => replaceReferences(value, reference);
  const texts = (values: Readonly<Record<string, string>>): JsonObject =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, text(value)]));
  const type = types[entry.kind];
  const head = type === undefined ? {} : { type };
  if (entry.kind !== 'stdio') {
    const url = entry.kind === 'sse' ? (dialect.sseUrl ?? dialect.url ?? 'url') : (dialect.url ?? 'url');
    const sent = Object.keys(entry.headers).length === 0 ? {} : { [headers]: texts(entry.headers) };
    return { ...head, [url]: text(entry.url), ...sent, ...extra };
  }
  const command = text(entry.command);
  const args = entry.args.map(text);
  return {
    ...head,
    ...(dialect.commandList === true
      ? { command: [command, ...args] }
      : { command, ...(args.length === 0 ? {} : { args }) }),
    ...(Object.keys(entry.env).length === 0 ? {} : { [env]: texts(entry.env) }),
    ...(entry.cwd === undefined ? {} : { cwd: entry.cwd }),
    ...extra,
  };
}

/** What clients write, in the one spelling of `ServerEntry`: `${env:NAME}`, `{env:NAME}`, `$NAME`, `${{ secrets.NAME }}`. */
const SPELLINGS =
  /\$\{\{\s*secrets\.([A-Za-z_]\w*)\s*\}\}|\$\{env:([A-Za-z_]\w*)\}|(?<!\$)\{env:([A-Za-z_]\w*)\}|^\$([A-Za-z_]\w*)$/g;

function normalised(value: unknown): string {
  return String(value).replaceAll(SPELLINGS, (_whole, ...names: unknown[]) => {
    const name = names.slice(0, 4).find((candidate) => typeof candidate === 'string');
    return `\${${String(name)}}`;
  });
}

/** Reads the fields of every known client. */
export function readEntry(entry: JsonObject): ServerEntry | undefined {
  const url = entry.url ?? entry.serverUrl ?? entry.httpUrl ?? entry.uri;
  if (typeof url === 'string') {
    const options = isRecord(entry.requestOptions) ? entry.requestOptions : {};
    const headers = {
      ...texts(options.headers),
      ...texts(entry.headers),
      ...texts(entry.http_headers),
      ...variableHeaders(entry),
    };
    return { kind: entry.type === 'sse' ? 'sse' : 'http', url: normalised(url), headers };
  }
  const [program, ...words] = Array.isArray(entry.command) ? entry.command : [entry.command ?? entry.cmd];
  if (typeof program !== 'string' || program === '') return undefined;
  const args = [...words, ...(Array.isArray(entry.args) ? entry.args : [])].map(normalised);
  const env = {
    ...texts(entry.env ?? entry.environment ?? entry.envs),
    ...passedOn(entry.env_keys),
    ...passedOn(entry.env_vars),
  };
  const cwd = typeof entry.cwd === 'string' ? { cwd: entry.cwd } : {};
  return { kind: 'stdio', command: normalised(program), args, env, ...cwd };
}

function texts(values: unknown): Record<string, string> {
  if (!isRecord(values)) return {};
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, normalised(value)]));
}

/** Codex names the variables instead of writing references. */
function variableHeaders({
  bearer_token_env_var: bearer,
  env_http_headers: named,
}: JsonObject): Record<string, string> {
  const headers = isRecord(named) ? Object.entries(named) : [];
  return {
    ...Object.fromEntries(headers.map(([key, name]) => [key, `\${${String(name)}}`])),
    ...(typeof bearer === 'string' ? { Authorization: `Bearer \${${bearer}}` } : {}),
  };
}

/** Variables that the client passes on under their own name. */
function passedOn(names: unknown): Record<string, string> {
  if (!Array.isArray(names)) return {};
  return Object.fromEntries(
    names.filter((name) => typeof name === 'string').map((name) => [name, `\${${name}}`]),
  );
}
