import type { Command } from 'commander';
import { singleLine } from '../../protocol/display.js';
import { createPlanner } from '../clients/change-plan.js';
import { CLIENTS } from '../clients/definitions.js';
import { takeInventory } from '../clients/inventory.js';
import { currentPlaces } from '../clients/places.js';
import { type CommandShape, type CompletionSources, candidates } from '../completion/candidates.js';
import { SCRIPTS, type Shell } from '../completion/scripts.js';
import { completableServer } from '../completion/server-source.js';
import { EXIT_OK, UsageError } from '../failure/failure.js';
import { hubNames } from '../hub/hub-config.js';
import { currentHubPlaces } from '../hub/hub-places.js';
import { loadConfig } from '../target/config-file.js';

export interface CompletionFlags {
  /** Set by the scripts: the words are those after `plumb`. */
  readonly words?: boolean;
}

export async function completion(
  shells: readonly string[],
  typed: readonly string[] | undefined,
  flags: CompletionFlags,
  program: Command,
): Promise<number> {
  if (flags.words === true) return complete(typed ?? [], program);
  const [shell, ...more] = shells;
  const script = Object.hasOwn(SCRIPTS, shell ?? '') ? SCRIPTS[shell as Shell] : undefined;
  if (script === undefined || more.length > 0)
    throw new UsageError('Give a shell: plumb completion bash, zsh or fish; see plumb completion --help');
  process.stdout.write(script);
  return EXIT_OK;
}

async function complete(words: readonly string[], program: Command): Promise<number> {
  const found = await candidates(words, sourcesOf(program)).catch(() => []);
  if (found === 'files') process.stdout.write(':files\n');
  else {
    for (const { value, description } of found)
      process.stdout.write(`${singleLine(value)}${description ? `\t${singleLine(description)}` : ''}\n`);
  }
  return EXIT_OK;
}

function sourcesOf(program: Command): CompletionSources {
  return {
    commands: program.commands.map(shapeOf),
    clients: CLIENTS.map(({ id }) => id),
    configNames: (config) => [...(loadConfig(config)?.servers.keys() ?? [])],
    hubNames: () => hubNames(currentHubPlaces().config),
    entryNames: () => {
      const planner = createPlanner(currentPlaces());
      const files = takeInventory(planner.store, planner.places);
      return [...new Set(files.flatMap(({ entries }) => entries.map(({ name }) => name)))];
    },
    server: completableServer,
  };
}

function shapeOf(command: Command): CommandShape {
  return {
    name: command.name(),
    summary: command.summary() || command.description(),
    options: command.options
      .filter(({ hidden, long }) => !hidden && long !== undefined)
      .map(({ long, description, required, optional, argChoices }) => ({
        flag: long ?? '',
        description,
        takesValue: required || optional,
        choices: argChoices ?? [],
      })),
  };
}
