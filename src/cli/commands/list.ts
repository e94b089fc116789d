import type { Client } from '../../client/index.js';
import { printable, singleLine } from '../../protocol/display.js';
import { ProtocolError } from '../../protocol/errors.js';
import type { ListKind } from '../../protocol/list-kind.js';
import { EXIT_FAILED, EXIT_OK, UsageError } from '../failure/failure.js';
import type { AskFlags, ConnectionFlags } from '../options/flags.js';
import {
  type ListedLine,
  promptEntry,
  renderSection,
  resourceEntry,
  shortened,
  templateEntry,
  toolEntry,
} from '../output/lists.js';
import type { Terminal } from '../output/terminal.js';
import { indent, wrap } from '../output/text.js';
import { type CommandSession, withSession } from '../session/session.js';
import { resolveTarget } from '../target/target.js';

interface Listing {
  readonly method: string;
  readonly title: string;
  /** The field of the raw result that holds the items. */
  readonly field: string;
  readonly feature: ListKind;
  /** The items, and how each is shown. */
  fetch(
    session: CommandSession,
  ): Promise<{ readonly items: readonly unknown[]; readonly entries: readonly ListedLine[] }>;
}

const KINDS: ReadonlyMap<string, Listing> = new Map<string, Listing>([
  [
    'tools',
    {
      method: 'tools/list',
      title: 'Tools',
      field: 'tools',
      feature: 'tools',
      fetch: async ({ client, call }) => show(await client.tools.list(call), toolEntry),
    },
  ],
  [
    'resources',
    {
      method: 'resources/list',
      title: 'Resources',
      field: 'resources',
      feature: 'resources',
      fetch: async ({ client, call }) => show(await client.resources.list(call), resourceEntry),
    },
  ],
  [
    'templates',
    {
      method: 'resources/templates/list',
      title: 'Resource templates',
      field: 'resourceTemplates',
      feature: 'resources',
      fetch: async ({ client, call }) => show(await client.resources.templates().list(call), templateEntry),
    },
  ],
  [
    'prompts',
    {
      method: 'prompts/list',
      title: 'Prompts',
      field: 'prompts',
      feature: 'prompts',
      fetch: async ({ client, call }) => show(await client.prompts.list(call), promptEntry),
    },
  ],
]);

function show<T>(
  items: readonly T[],
  entryOf: (item: T) => ListedLine,
): { items: readonly T[]; entries: ListedLine[] } {
  return { items, entries: items.map(entryOf) };
}

const INSTRUCTION_LINES = 4;

export interface ListFlags extends ConnectionFlags, AskFlags {
  readonly long?: boolean;
}

export async function list(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: ListFlags,
): Promise<number> {
  const target = resolveTarget(words, command, flags);
  const [kind, ...rest] = target.rest;
  const listing = kind === undefined ? undefined : KINDS.get(kind);
  if (kind !== undefined && listing === undefined) {
    throw new UsageError(`"${kind}" is not a kind of list; choose one of: ${[...KINDS.keys()].join(', ')}`);
  }
  if (rest.length > 0) throw new UsageError(`Too many arguments: ${rest.join(' ')}; see plumb list --help`);
  return withSession({ target, flags, method: listing?.method ?? 'tools/list' }, (session) =>
    listing === undefined ? listAll(session, flags) : listOne(listing, session, flags),
  );
}

async function listOne(
  listing: Listing,
  session: CommandSession,
  { json, long }: ListFlags,
): Promise<number> {
  const { items, entries } = await listing.fetch(session);
  if (json === true) session.json({ [listing.field]: items });
  else session.out.write(`${renderSection(listing.title, entries, session.out, long)}\n`);
  return EXIT_OK;
}

/** Everything that the server declares. */
async function listAll(session: CommandSession, { json, long }: ListFlags): Promise<number> {
  const { client, out } = session;
  const available = [...KINDS.values()].filter(({ feature }) => client.capabilities[feature] !== undefined);
  const lists = [];
  const failures: string[] = [];
  for (const listing of available) {
    try {
      lists.push({ listing, ...(await listing.fetch(session)) });
    } catch (error) {
      // A list that the server refuses is no reason to withhold the others; a lost connection is.
      const failure = session.describe(error, listing.method);
      if (!(error instanceof ProtocolError) || available.length === 1) throw failure;
      failures.push(failure.message);
    }
  }
  for (const failure of failures) session.note(`plumb: ${failure}`);
  const exitCode = failures.length === 0 ? EXIT_OK : EXIT_FAILED;
  if (json === true) {
    const { revision, server, capabilities, instructions } = client;
    const fields = lists.map(({ listing, items }): [string, readonly unknown[]] => [listing.field, items]);
    session.json({ revision, server, capabilities, instructions, ...Object.fromEntries(fields) });
    return exitCode;
  }
  const sections = lists
    .filter(({ entries }) => entries.length > 0)
    .map(({ listing, entries }) => renderSection(listing.title, entries, out, long));
  out.write(`${[introduce(client, out, long === true), ...sections].join('\n\n')}\n`);
  return exitCode;
}

/** Instructions are for models, and often long: a terminal shows their beginning. */
function introduce({ server, revision, instructions }: Client, out: Terminal, long: boolean): string {
  const name =
    server === undefined ? 'A server without a name' : `${server.title ?? server.name} ${server.version}`;
  const head = `${out.style('bold', singleLine(name))}, protocol revision ${revision}`;
  if (instructions === undefined) return head;
  const lines = wrap(printable(instructions.trim()), out.columns - 2);
  const shown = long || !out.interactive ? lines : shortened(lines, INSTRUCTION_LINES);
  return [head, ...indent(shown.map((line) => out.style('dim', line)))].join('\n');
}
