/** The suite that a command line asks for: a file, a server given beside it, and what the flags change. */

import { extname } from 'node:path';
import { milliseconds } from '../../protocol/duration.js';
import { REVISIONS } from '../../protocol/revisions/index.js';
import type { ConcreteReach } from '../../testing/run/reach.js';
import type { ServerDefinition, Suite, SuiteSettings } from '../../testing/suite/definition.js';
import { loadSuiteFile } from '../../testing/suite/load-file.js';
import { parseSuite, transportName } from '../../testing/suite/parse-suite.js';
import { UsageError } from '../failure/failure.js';
import { checkRevisions } from '../options/revisions.js';
import { resolveTarget, type TargetFlags } from '../target/target.js';
import type { TestFlags } from './test-flags.js';

const FILES: ReadonlySet<string> = new Set([
  '.yaml',
  '.yml',
  '.json',
  '.jsonc',
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.cts',
]);

export interface AskedSuite {
  /** Undefined where the flags alone say what to test. */
  readonly file: string | undefined;
  /** Words that name a server or its command. */
  readonly words: readonly string[];
}

/** Which word is the file. */
export function askedSuite(words: readonly string[], flags: TestFlags): AskedSuite {
  if (flags.config !== undefined) return { file: flags.config, words };
  const [first, ...rest] = words;
  if (first === undefined || /^https?:\/\//i.test(first)) return { file: undefined, words };
  if (FILES.has(extname(first).toLowerCase())) return { file: first, words: rest };
  return { file: undefined, words };
}

export async function readSuite(
  asked: AskedSuite,
  command: readonly string[] | undefined,
  flags: TestFlags,
  version = '',
): Promise<Suite> {
  const content = asked.file === undefined ? {} : await loadSuiteFile(asked.file, version);
  const suite = parseSuite({ content, file: asked.file, environment: process.env });
  const server = givenServer(asked.words, command, flags);
  const named = namedCases(flags);
  if (asked.file === undefined && named === undefined)
    throw new UsageError(
      'Nothing to test: name a test file, or say what to test with --tools, --resources and --prompts; plumb test --generate writes a file',
    );
  return {
    ...suite,
    name: suite.name === 'tests' ? 'plumb test' : suite.name,
    servers: server === undefined ? suite.servers : [server],
    cases: named === undefined ? suite.cases : replaced(suite, named),
  };
}

/** Names on the command line are the tests of the file with these names, or new ones. */
function replaced(suite: Suite, named: Suite): Suite['cases'] {
  return named.cases.map(
    (each) => suite.cases.find(({ name, type }) => name === each.name && type === each.type) ?? each,
  );
}

function namedCases({ tools, resources, prompts }: TestFlags): Suite | undefined {
  if (tools === undefined && resources === undefined && prompts === undefined) return undefined;
  return parseSuite({ content: { tools: tools ?? [], resources: resources ?? [], prompts: prompts ?? [] } });
}

/** A server on the command line, in whatever way. */
export function givenServer(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: TestFlags,
): ServerDefinition | undefined {
  const { url, args = [], server } = flags;
  if (url !== undefined) return { name: 'server', reach: reachOf([url], undefined, flags) };
  if (command !== undefined) return { name: 'server', reach: reachOf([], [...command, ...args], flags) };
  if (words.length > 0) {
    const [first = ''] = words;
    const isTarget = words.length === 1 && (/^https?:\/\//i.test(first) || flags.mcpConfig !== undefined);
    const reach = isTarget ? reachOf(words, undefined, flags) : reachOf([], [...words, ...args], flags);
    return { name: isTarget ? first : 'server', reach };
  }
  if (server === undefined || /^[\w-]+$/.test(server)) {
    const isCommand = server !== undefined && args.length > 0;
    return isCommand ? { name: 'server', reach: reachOf([], [server, ...args], flags) } : undefined;
  }
  if (/^https?:\/\//i.test(server)) return { name: 'server', reach: reachOf([server], undefined, flags) };
  const parts = server.split(/\s+/).filter((part) => part !== '');
  return { name: 'server', reach: reachOf([], [...parts, ...args], flags) };
}

function reachOf(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: TestFlags,
): ConcreteReach {
  const { target } = resolveTarget(words, command, targetFlags(flags));
  if ('url' in target) {
    const transport = flags.transport?.includes('sse') === true ? 'sse' : 'http';
    const headers = Object.fromEntries(
      Object.entries(target.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
    return { kind: 'url', url: String(target.url), headers, transport, command: undefined };
  }
  const { command: program, args = [], env = {}, cwd } = target;
  return { kind: 'command', command: program, args, env, cwd, inheritEnv: command !== undefined };
}

function targetFlags({ mcpConfig, header, env, bearerTokenEnv }: TestFlags): TargetFlags {
  return {
    ...(mcpConfig === undefined ? {} : { config: mcpConfig }),
    ...(header === undefined ? {} : { header }),
    ...(env === undefined ? {} : { env }),
    ...(bearerTokenEnv === undefined ? {} : { bearerTokenEnv }),
  };
}

/** For servers that a test file has by name. */
export function nameResolver(flags: TestFlags): (name: string) => ConcreteReach {
  return (name) => reachOf([name], undefined, flags);
}

/** Which of the servers of the file. */
export function chosenServers({ server, args }: TestFlags): readonly string[] | undefined {
  return server !== undefined && args === undefined && /^[\w-]+$/.test(server) ? [server] : undefined;
}

export function settingsFrom(flags: TestFlags): Partial<SuiteSettings> {
  const { filter, skip, tags, retries, concurrency, bail, strict, updateSnapshots } = flags;
  const all = flags.revision?.includes('all') === true;
  const revisions = all
    ? REVISIONS.map(({ version }) => version)
    : checkRevisions('--revision', flags.revision);
  // One transport defines how to reach the server; several are a matrix.
  const transports = flags.transport?.map((name) => transportName(name, '--transport'));
  return {
    ...(flags.timeout === undefined ? {} : { timeout: timeLimit(flags.timeout) }),
    ...(filter === undefined ? {} : { filter }),
    ...(skip === undefined ? {} : { skip }),
    ...(tags === undefined ? {} : { tags }),
    ...(retries === undefined ? {} : { retries }),
    ...(concurrency === undefined ? {} : { concurrency: Math.max(1, concurrency) }),
    ...(bail === undefined ? {} : { bail }),
    ...(strict === undefined ? {} : { strict }),
    ...(updateSnapshots === undefined ? {} : { updateSnapshots }),
    ...(revisions === undefined ? {} : { revisions, allRevisions: all }),
    ...(transports === undefined ? {} : { transports }),
  };
}

/** A bare number is milliseconds, as in test files. */
export function timeLimit(text: string): number {
  try {
    const limit = /^\d+$/.test(text) ? Number(text) : milliseconds(text);
    if (limit > 0) return limit;
  } catch {
    // Reported below.
  }
  throw new UsageError(`--timeout ${text} is not a duration; write 30s, 500ms, or a number of milliseconds`);
}
