/** Servers out of a text that somebody pasted: an `mcpServers` block, one entry of it, a URL, or a command line. */

import { isObject, parseJson } from '../../components/json-value.js';
import { splitWords } from './command-line.js';
import type { DirectServer } from './server-draft.js';

export type Pasted =
  | { readonly ok: true; readonly servers: readonly DirectServer[] }
  | { readonly ok: false; readonly message: string };

export function parsePasted(text: string): Pasted {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, message: 'Paste an mcpServers block, a URL or a command line.' };
  if (/^https?:\/\/\S+$/.test(trimmed)) return { ok: true, servers: [{ kind: 'url', url: trimmed }] };
  if (!/^[{"]/.test(trimmed)) return fromLine(trimmed);
  // A block is often copied without the brackets around it.
  const parsed = [trimmed, `{${trimmed.replace(/,\s*$/, '')}}`].map(parseJson).find(({ ok }) => ok);
  if (parsed?.ok !== true || !isObject(parsed.value)) {
    const problem = parseJson(trimmed);
    return { ok: false, message: `This is not JSON: ${problem.ok ? 'no object' : problem.message}` };
  }
  return fromObject(parsed.value);
}

function fromLine(line: string): Pasted {
  // As it stands in a README.
  const [command = '', ...args] = splitWords(line.replace(/^\$\s+/, ''));
  const env: Record<string, string> = {};
  let words = [command, ...args];
  for (let match = /^([A-Za-z_]\w*)=(.*)$/.exec(words[0] ?? ''); match !== null; ) {
    env[match[1] ?? ''] = match[2] ?? '';
    words = words.slice(1);
    match = /^([A-Za-z_]\w*)=(.*)$/.exec(words[0] ?? '');
  }
  const [program = '', ...rest] = words;
  if (program === '') return { ok: false, message: 'The command line has no program.' };
  return { ok: true, servers: [{ kind: 'command', command: program, args: rest, env }] };
}

function fromObject(value: Readonly<Record<string, unknown>>): Pasted {
  const block = [value.mcpServers, value.servers, isObject(value.mcp) ? value.mcp.servers : undefined].find(
    isObject,
  );
  if (block !== undefined) return fromEntries(block);
  if (isEntry(value)) return fromEntries({ '': value });
  if (Object.values(value).some(isEntry)) return fromEntries(value);
  return { ok: false, message: 'There is no server in this JSON: an entry has a "command" or a "url".' };
}

function isEntry(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    isObject(value) &&
    (typeof value.command === 'string' || typeof (value.url ?? value.serverUrl) === 'string')
  );
}

function fromEntries(block: Readonly<Record<string, unknown>>): Pasted {
  const entries = Object.entries(block);
  const wrong = entries.find(([, entry]) => !isEntry(entry));
  if (wrong !== undefined)
    return { ok: false, message: `The entry “${wrong[0]}” has neither a "command" nor a "url".` };
  const servers = entries.map(([name, entry]) =>
    serverFrom(name, entry as Readonly<Record<string, unknown>>),
  );
  return { ok: true, servers };
}

function serverFrom(name: string, entry: Readonly<Record<string, unknown>>): DirectServer {
  const named = name === '' ? {} : { name };
  const url = entry.url ?? entry.serverUrl;
  if (typeof url === 'string') return { ...named, kind: 'url', url, headers: strings(entry.headers) };
  const args = Array.isArray(entry.args) ? entry.args.map(String) : [];
  return {
    ...named,
    kind: 'command',
    command: String(entry.command),
    args,
    env: strings(entry.env),
    ...(typeof entry.cwd === 'string' ? { cwd: entry.cwd } : {}),
  };
}

function strings(value: unknown): Record<string, string> {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, String(each)]))
    : {};
}
