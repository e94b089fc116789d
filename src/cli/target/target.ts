/** TARGET on the command line: a URL, a configured name, or a command after `--`. */

import type { HttpTarget, StdioTarget } from '../../client/target.js';
import { nearest } from '../../protocol/option-names.js';
import { UsageError } from '../failure/failure.js';
import { commandName } from '../program/command-name.js';
import { CONFIG_PATHS, loadConfig, resolveServer } from './config-file.js';

export interface TargetFlags {
  readonly config?: string;
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  /** The variable that holds the token callers must bring; the server has no use for it. */
  readonly bearerTokenEnv?: string;
}

export interface ResolvedTarget {
  readonly target: StdioTarget | HttpTarget;
  /** How long its configuration lets it take to start, in milliseconds. */
  readonly connectTimeout?: number | undefined;
  /** Which of several logins its configuration names. */
  readonly account?: string | undefined;
  /** The words that are not the target. */
  readonly rest: readonly string[];
  /** How to write another command for the same target. */
  command(verb: string, ...words: string[]): string;
}

const EXPECTED = 'give a URL, a configured name, or a command last, after --';

/** `command` is what stood after `--`, if there was one. */
export function resolveTarget(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: TargetFlags,
): ResolvedTarget {
  if (command !== undefined) return commandTarget(words, command, flags);
  const [first, ...rest] = words;
  if (first === undefined) throw new UsageError(`No target: ${EXPECTED}${knownNames(flags)}`);
  const again = (verb: string, ...more: string[]): string =>
    [commandName(), verb, ...[first, ...more].map(quote)].join(' ');
  return { ...namedTarget(words, flags), rest, command: again };
}

function commandTarget(
  words: readonly string[],
  command: readonly string[],
  flags: TargetFlags,
): ResolvedTarget {
  const [program, ...args] = command;
  if (program === undefined)
    throw new UsageError('Nothing after --: give the command that starts the server');
  const tail = ['--', ...command.map(quote)];
  return {
    target: { ...stdio({ command: program, args, env: {} }, flags), inheritEnv: inheritedNames(flags) },
    rest: words,
    command: (verb, ...more) => [commandName(), verb, ...more.map(quote), ...tail].join(' '),
  };
}

/**
 * A command on the command line runs in the environment of its shell, as behind `env` or `timeout`. Servers from a
 * config file get what the file gives them, as from the clients that these files are written for.
 */
function inheritedNames({ bearerTokenEnv }: TargetFlags): string[] {
  return Object.keys(process.env).filter((name) => name !== bearerTokenEnv && !name.startsWith('PLUMB_'));
}

function namedTarget(
  words: readonly string[],
  flags: TargetFlags,
): Pick<ResolvedTarget, 'target' | 'connectTimeout' | 'account'> {
  const [name = ''] = words;
  if (/^https?:\/\//i.test(name)) return { target: http({ url: name, headers: {} }, flags) };
  const file = loadConfig(flags.config);
  if (file === undefined) {
    const places = CONFIG_PATHS.join(', ');
    throw new UsageError(
      `"${name}" is not a URL, and no config file was found here (${places}); ${meant(words) ?? EXPECTED}`,
    );
  }
  const found = resolveServer(file, name);
  if (found === undefined) {
    const names = [...file.servers.keys()];
    const similar = nearest(name, names);
    const next = similar === undefined ? (meant(words) ?? EXPECTED) : `did you mean "${similar}"?`;
    const found = names.join(', ') || 'none';
    throw new UsageError(
      `"${name}" is not a URL, and not a server in ${file.path} (found: ${found}); ${next}`,
    );
  }
  const { target, connectTimeout, account } = found;
  return { target: 'url' in target ? http(target, flags) : stdio(target, flags), connectTimeout, account };
}

const HOST = /^(?:localhost(?::\d+)?|[\w.-]+:\d+|\d+(?:\.\d+){3}|[\w-]+(?:\.[\w-]+)+(?=\/))(?:\/\S*)?$/i;
const RUNNER = /^(?:node|npx|bunx?|deno|tsx|uvx?|python3?|docker)$/;

/** What was probably meant by words that are neither a URL nor a name. */
function meant(words: readonly string[]): string | undefined {
  const [first = ''] = words;
  if (HOST.test(first)) return `did you mean the URL http://${first.includes('/') ? first : `${first}/mcp`}?`;
  const started = /\.[cm]?[jt]s$/.test(first) ? ['node', ...words] : words;
  const isCommand = started !== words || (words.length > 1 && RUNNER.test(first));
  return isCommand ? `a command goes last, after --: -- ${started.map(quote).join(' ')}` : undefined;
}

function knownNames(flags: TargetFlags): string {
  const file = loadConfig(flags.config);
  return file === undefined ? '' : ` (${file.path} has: ${[...file.servers.keys()].join(', ') || 'none'})`;
}

function http(target: HttpTarget, { header = [], env = [] }: TargetFlags): HttpTarget {
  if (env.length > 0)
    throw new UsageError('--env is for servers that are started by a command, not for URLs');
  const headers = { ...target.headers, ...Object.fromEntries(header.map(parseHeader)) };
  return { url: target.url, headers };
}

interface Program {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly cwd?: string;
}

function stdio(program: Program, { header = [], env = [] }: TargetFlags): StdioTarget {
  if (header.length > 0)
    throw new UsageError('--header is for URLs, not for servers that are started by a command');
  return { ...program, env: { ...program.env, ...Object.fromEntries(env.map(parseVariable)) } };
}

function parseHeader(text: string): [string, string] {
  const colon = text.indexOf(':');
  if (colon < 1) throw new UsageError(`--header ${JSON.stringify(text)} must look like "Name: value"`);
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}

/** `NAME=value`, or `NAME` alone for the value that it has here. */
function parseVariable(text: string): [string, string] {
  const equals = text.indexOf('=');
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  const value = process.env[text];
  if (value === undefined)
    throw new UsageError(`--env ${JSON.stringify(text)} must be NAME=value, or a variable set here`);
  return [text, value];
}

/** For people to paste into a POSIX shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
