import {
  applyChanges,
  createPlanner,
  type PlannedChange,
  type Planner,
  planRemoval,
  showDiff,
} from '../clients/change-plan.js';
import type { Scope } from '../clients/client-definition.js';
import { canAsk, confirm, converse } from '../clients/client-questions.js';
import { CLIENTS, clientById, scopesOf } from '../clients/definitions.js';
import { currentPlaces } from '../clients/places.js';
import { EXIT_OK, UsageError } from '../failure/failure.js';
import { hubClient } from '../hub/hub-client.js';
import { warn } from '../output/report.js';
import { createTerminal } from '../output/terminal.js';

export interface RemoveFlags {
  readonly client?: readonly string[];
  readonly scope?: Scope;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  /** Also from the hub. */
  readonly hub?: boolean;
}

export async function remove(words: readonly string[], flags: RemoveFlags): Promise<number> {
  const [name, ...more] = words;
  if (name === undefined) {
    throw new UsageError('Remove what? Give the name of a server; plumb list --clients shows them');
  }
  if (more.length > 0) throw new UsageError(`Too many words: ${more.join(' ')}; see plumb remove --help`);
  const planner = createPlanner(currentPlaces());
  const out = createTerminal(process.stdout);
  const changes = planRemovals(planner, name, flags);
  if (changes.length === 0) {
    const where = flags.client === undefined ? 'No client' : `None of ${flags.client.join(', ')}`;
    throw new UsageError(`${where} has a server "${name}"; plumb list --clients shows what there is`);
  }
  if (flags.dryRun === true) {
    for (const change of changes) showDiff(change, out);
    out.write('Nothing was written (--dry-run)\n');
    return EXIT_OK;
  }
  if (!(await agreed(name, changes, flags))) {
    out.write('Nothing was written\n');
    return EXIT_OK;
  }
  const say = ({ client, scope, path }: PlannedChange): string =>
    `Removed ${name} from ${client.name} (${scope}): ${path}`;
  applyChanges(planner, changes, say, out);
  return EXIT_OK;
}

async function agreed(name: string, changes: readonly PlannedChange[], flags: RemoveFlags): Promise<boolean> {
  if (flags.yes === true) return true;
  if (canAsk()) {
    const stderr = createTerminal(process.stderr);
    for (const change of changes) showDiff(change, stderr);
    return converse((conversation) => confirm(conversation, 'Remove this?', true));
  }
  // Without --client a name may be in more places than the user thinks of.
  if (flags.client !== undefined || changes.length === 1) return true;
  const places = changes.map(({ client, scope }) => `${client.id} (${scope})`).join(', ');
  throw new UsageError(
    `"${name}" is in several places: ${places}; choose with --client and --scope, or give --yes`,
  );
}

function planRemovals(
  planner: Planner,
  name: string,
  { client: ids, scope: only, hub }: RemoveFlags,
): PlannedChange[] {
  const everywhere = ids === undefined || ids.includes('all');
  const named = everywhere ? CLIENTS : ids.map(clientById);
  const clients = hub === true ? [...named, hubClient(false)] : named;
  return clients.flatMap((client) =>
    scopesOf(client, planner.places)
      .filter((scope) => only === undefined || scope === only)
      .flatMap((scope) => {
        try {
          return planRemoval(planner, client, scope, name) ?? [];
        } catch (error) {
          // A file that another client cannot read is no reason to leave the entry in the others.
          if (!everywhere || !(error instanceof UsageError)) throw error;
          warn(error.message);
          return [];
        }
      }),
  );
}
