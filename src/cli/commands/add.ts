import type { StdioTarget } from '../../client/target.js';
import { isRecord } from '../../jsonrpc/message.js';
import { singleLine } from '../../protocol/display.js';
import {
  type AddedServer,
  assertName,
  isTarget,
  parseServer,
  type SourceFlags,
  withFlags,
  withFullPaths,
} from '../clients/added-server.js';
import {
  applyChanges,
  createPlanner,
  type PlannedChange,
  type Planner,
  pathIn,
  planAddition,
  showDiff,
} from '../clients/change-plan.js';
import type { ClientDefinition, Scope } from '../clients/client-definition.js';
import { askFor, canAsk, chooseClients, confirm, converse } from '../clients/client-questions.js';
import { readEntries } from '../clients/config-text.js';
import { clientById, scopesOf } from '../clients/definitions.js';
import { detectedClients } from '../clients/inventory.js';
import { currentPlaces } from '../clients/places.js';
import { type ServerEntry, summaryOf, withValues } from '../clients/server-entry.js';
import { CommandFailure, EXIT_OK, EXIT_TIMEOUT, EXIT_UNREACHABLE, UsageError } from '../failure/failure.js';
import { hubClient, hubClientEntry } from '../hub/hub-client.js';
import type { ConnectFlags } from '../options/flags.js';
import { warn } from '../output/report.js';
import { createTerminal } from '../output/terminal.js';
import { withSession } from '../session/session.js';
import type { ResolvedTarget } from '../target/target.js';

export interface AddFlags extends SourceFlags, ConnectFlags {
  readonly client?: readonly string[];
  readonly scope?: Scope;
  readonly from?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  /** `--no-verify` makes it false. */
  readonly verify: boolean;
  readonly yes?: boolean;
  /** The hub runs the server, and the clients use it there. */
  readonly hub?: boolean;
  /** With the hub: one process for each client. */
  readonly perClient?: boolean;
}

export async function add(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: AddFlags,
): Promise<number> {
  const planner = createPlanner(currentPlaces());
  const out = createTerminal(process.stdout);
  const scope = flags.scope ?? 'global';
  const server = await serverOf(planner, words, command, flags);
  const clients = await clientsOf(planner, flags);
  const entry = placedEntry(server.entry, scope, flags, planner);
  if (flags.perClient === true && flags.hub !== true)
    throw new UsageError('--per-client is for servers of the hub; use it with --hub');
  const used = flags.hub === true ? hubClientEntry(server.name) : entry;
  const changes = clients.map((client) => planAddition(planner, client, scope, server.name, used));
  if (flags.hub === true)
    changes.unshift(planAddition(planner, hubClient(flags.perClient === true), 'global', server.name, entry));
  await assertFree(server.name, changes, flags);
  for (const warning of new Set(changes.flatMap(({ warnings }) => warnings))) warn(warning);

  if (flags.dryRun === true) {
    for (const change of changes) showDiff(change, out);
    out.write('Nothing was written (--dry-run)\n');
    return EXIT_OK;
  }
  if (flags.verify) await verify(planner, entry, flags);
  if (canAsk() && flags.yes !== true) {
    const stderr = createTerminal(process.stderr);
    for (const change of changes) showDiff(change, stderr);
    if (!(await converse((conversation) => confirm(conversation, 'Write this?', true)))) {
      out.write('Nothing was written\n');
      return EXIT_OK;
    }
  }
  applyChanges(
    planner,
    changes,
    ({ client, replaces, path, scope: placed }) =>
      `${replaces ? 'Replaced' : 'Added'} ${server.name} in ${client.name} (${placed}): ${path}`,
    out,
  );
  return EXIT_OK;
}

async function serverOf(
  planner: Planner,
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: AddFlags,
): Promise<AddedServer> {
  if (flags.from !== undefined) {
    const source = flags.from === 'hub' ? hubClient(false) : clientById(flags.from);
    return serverFrom(planner, source, words, command, flags);
  }
  const [first, second] = words;
  const complete = command !== undefined || second !== undefined || (first !== undefined && isTarget(first));
  if (complete || !canAsk()) return parseServer(words, command, flags);
  return converse(async (conversation) => {
    const name = first ?? (await askFor(conversation, 'Name of the server: ', assertName));
    return askFor(conversation, 'URL, npm:PACKAGE, server.json file or command: ', (answer) => {
      const answered = answer.split(/\s+/).filter((word) => word !== '');
      const [target] = answered;
      if (target !== undefined && isTarget(target)) return parseServer([name, ...answered], undefined, flags);
      return parseServer([name], answered, flags);
    });
  });
}

/** The entry of another client, from its project's file or else from its global one. */
function serverFrom(
  planner: Planner,
  source: ClientDefinition,
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: AddFlags,
): AddedServer {
  const [name, ...more] = words;
  if (name === undefined || more.length > 0 || command !== undefined) {
    const names = namesIn(planner, source).join(', ') || 'none';
    throw new UsageError(
      `--from ${source.id} takes the name of an entry, and no target (${source.name} has: ${names})`,
    );
  }
  for (const scope of scopesOf(source, planner.places).toReversed()) {
    const text = planner.store.read(pathIn(planner, source, scope));
    const found = text === undefined ? undefined : readEntries(source, text).get(name);
    const entry = isRecord(found) ? source.read(found) : undefined;
    if (entry !== undefined) return { name, entry: withFlags(entry, flags) };
  }
  throw new UsageError(`${source.name} has no server "${name}"; plumb list --clients shows what it has`);
}

function namesIn(planner: Planner, source: ClientDefinition): string[] {
  const names = scopesOf(source, planner.places).flatMap((scope) => {
    const text = planner.store.read(pathIn(planner, source, scope));
    return text === undefined ? [] : [...readEntries(source, text).keys()];
  });
  return [...new Set(names)];
}

async function clientsOf(planner: Planner, { client: ids = [] }: AddFlags): Promise<ClientDefinition[]> {
  const detected = detectedClients(planner.places);
  if (ids.includes('all')) {
    if (detected.length > 0) return detected;
    throw new UsageError('--client all means the clients on this machine, and none was found; name one');
  }
  const clients = ids.map(clientById);
  if (clients.length > 0) return clients.filter((client, index) => clients.indexOf(client) === index);
  if (canAsk()) return converse((conversation) => chooseClients(conversation, detected));
  const found = detected.map(({ id }) => id).join(', ') || 'none';
  throw new UsageError(
    `Which client? Give --client (found on this machine: ${found}; --client all means all of them)`,
  );
}

/** Global entries are used from any folder. */
function placedEntry(entry: ServerEntry, scope: Scope, flags: AddFlags, { places }: Planner): ServerEntry {
  if (scope === 'project' || flags.from !== undefined) return entry;
  const placed = withFullPaths(entry, places.directory);
  if (summaryOf(placed) !== summaryOf(entry))
    note(`files are written with their full paths: ${summaryOf(placed)}`);
  return placed;
}

async function assertFree(name: string, changes: readonly PlannedChange[], flags: AddFlags): Promise<void> {
  const taken = changes.filter(({ replaces }) => replaces).map(({ client }) => client.name);
  if (taken.length === 0 || flags.force === true) return;
  const what = `${taken.join(', ')} already ${taken.length === 1 ? 'has' : 'have'} a server "${name}"`;
  if (canAsk() && flags.yes !== true) {
    if (await converse((conversation) => confirm(conversation, `${what}. Replace it?`, false))) return;
  }
  throw new UsageError(`${what}; use --force to replace it, or another name`);
}

/** Connects as a client would, with nothing but what the entry gives. */
async function verify(planner: Planner, entry: ServerEntry, flags: AddFlags): Promise<void> {
  const target = targetOf(withValues(entry, planner.places.environment, 'or use --no-verify'));
  try {
    await withSession(
      { target, flags: connectFlags(flags), method: 'tools/list' },
      async ({ client, call, note: say }) => {
        const tools = client.capabilities.tools === undefined ? [] : await client.tools.list(call);
        const label =
          client.server === undefined ? 'the server' : `${client.server.name} ${client.server.version}`;
        say(
          `Connected to ${singleLine(label)}, protocol revision ${client.revision}, ${tools.length} tool${tools.length === 1 ? '' : 's'}`,
        );
        return EXIT_OK;
      },
    );
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const { exitCode, details } = error;
    const isUnreached = exitCode === EXIT_UNREACHABLE || exitCode === EXIT_TIMEOUT;
    // Before the words that end in a colon, because lines of stderr follow.
    const [, what = error.message, words = ''] = /^(.*)(; [^;]*:)$/s.exec(error.message) ?? [];
    const advice = isUnreached ? '; nothing was written, --no-verify writes anyway' : '';
    throw new CommandFailure(exitCode, `${what}${advice}${words}`, { details, cause: error });
  }
}

function connectFlags({ connectTimeout }: AddFlags): ConnectFlags {
  return connectTimeout === undefined ? {} : { connectTimeout };
}

function targetOf(entry: ServerEntry): ResolvedTarget {
  const command = (verb: string, ...words: string[]): string =>
    ['plumb', verb, ...words, summaryOf(entry)].join(' ');
  if (entry.kind !== 'stdio')
    return { target: { url: entry.url, headers: entry.headers }, rest: [], command };
  const { command: program, args, env, cwd } = entry;
  const target: StdioTarget = {
    command: program,
    args: [...args],
    env: { ...env },
    ...(cwd === undefined ? {} : { cwd }),
  };
  return { target, rest: [], command };
}

function note(text: string): void {
  createTerminal(process.stderr).write(`note: ${singleLine(text)}\n`);
}
