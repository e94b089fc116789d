import { safeJson, singleLine } from '../../protocol/display.js';
import { applyChanges, createPlanner, type Planner, planAddition } from '../clients/change-plan.js';
import { canAsk, confirm, converse } from '../clients/client-questions.js';
import { type InventoryEntry, type InventoryFile, takeInventory } from '../clients/inventory.js';
import { currentPlaces } from '../clients/places.js';
import { EXIT_OK, UsageError } from '../failure/failure.js';
import { createTerminal, type Terminal } from '../output/terminal.js';

export interface ListClientsFlags {
  readonly json?: boolean;
}

/** `plumb list --clients`: what is configured where. */
export async function listClients(
  words: readonly string[],
  command: readonly string[] | undefined,
  { json }: ListClientsFlags,
): Promise<number> {
  if (words.length > 0 || command !== undefined) {
    throw new UsageError(
      '--clients shows the clients on this machine, and takes no target; see plumb list --help',
    );
  }
  const planner = createPlanner(currentPlaces());
  const out = createTerminal(process.stdout);
  const files = takeInventory(planner.store, planner.places);
  if (json === true) {
    out.write(`${safeJson({ clients: files.map(fileAsJson) }, 2)}\n`);
    return EXIT_OK;
  }
  if (files.length === 0)
    out.write('No client on this machine has a configuration file; plumb add creates one\n');
  else out.write(`${files.map((file) => renderFile(file, out)).join('\n\n')}\n`);
  if (canAsk()) await offerFixes(planner, files, out);
  return EXIT_OK;
}

function fileAsJson({ client, scope, path, problem, entries }: InventoryFile): unknown {
  return {
    client: client.id,
    scope,
    path,
    ...(problem === undefined ? {} : { problem: problem.message, fix: problem.fix }),
    servers: entries.map(({ name, entry, summary, disabled, problems }) => ({
      name,
      type: entry?.kind ?? 'unknown',
      summary,
      disabled,
      problems: problems.map(({ message, fix }) => ({ message, fix })),
    })),
  };
}

function renderFile({ client, scope, path, problem, entries }: InventoryFile, out: Terminal): string {
  const head = `${out.style('bold', client.name)} (${scope})  ${out.style('dim', path)}`;
  const lines = entries.flatMap((entry) => renderEntry(entry, out));
  if (problem !== undefined) lines.push(...renderProblem(problem, out));
  return [head, ...(lines.length === 0 ? ['  no servers'] : lines)].join('\n');
}

function renderEntry({ name, summary, disabled, problems }: InventoryEntry, out: Terminal): string[] {
  const off = disabled ? out.style('dim', ' (disabled)') : '';
  const line = `  ${out.style('cyan', singleLine(name))}  ${singleLine(summary)}${off}`;
  return [line, ...problems.flatMap((problem) => renderProblem(problem, out))];
}

function renderProblem({ message, fix }: { message: string; fix: string }, out: Terminal): string[] {
  return [
    `    ${out.style('red', 'broken:')} ${singleLine(message)}`,
    `    ${out.style('bold', 'fix:')} ${singleLine(fix)}`,
  ];
}

/** Entries in the words of another client can be written anew; the rest needs a person. */
async function offerFixes(planner: Planner, files: readonly InventoryFile[], out: Terminal): Promise<void> {
  const broken = files.flatMap(({ client, scope, entries }) =>
    entries
      .filter(({ entry, problems }) => entry !== undefined && problems.some(({ rewritable }) => rewritable))
      .map(({ name, entry }) => ({ client, scope, name, entry })),
  );
  if (broken.length === 0) return;
  const names = broken.map(({ client, name }) => `${name} of ${client.name}`).join(', ');
  const question = `Rewrite ${names} with the fields that ${broken.length === 1 ? 'the client knows' : 'each client knows'}?`;
  if (!(await converse((conversation) => confirm(conversation, question, false)))) return;
  for (const { client, scope, name, entry } of broken) {
    if (entry === undefined) continue;
    // One after the other: two entries may be in the same file.
    const change = planAddition(planner, client, scope, name, entry);
    applyChanges(
      planner,
      [change],
      ({ path }) => `Rewrote ${name} in ${client.name} (${scope}): ${path}`,
      out,
    );
  }
}
