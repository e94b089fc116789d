/** `plumb new`, as the command line knows it. */

import { type Command, Option } from 'commander';
import type { NewFlags } from '../commands/new.js';
import { collectList } from '../options/flags.js';

const NEW_HELP = `
The project has a server in TypeScript with tests, a Dockerfile, a CI workflow and a manifest for MCP bundles. At a terminal,
what is not given is asked for; --yes takes the defaults.

Examples:
  plumb new my-server
  plumb new my-server --with resources,prompts --install
  plumb new my-server --transport http --auth --yes
  npm create plumb-mcp my-server`;

export function addEverydayCommands(
  program: Command,
  _command: readonly string[] | undefined,
  done: (exitCode: number) => void,
): void {
  program
    .command('new')
    .summary('create a server to start from')
    .description('Creates a folder with an MCP server to start from, in TypeScript.')
    .usage('[options] DIR')
    .argument('[words...]')
    .option('--name <name>', 'of the package (default: the name of the folder)')
    .addOption(
      new Option('--transport <kind>', 'how clients reach it (default: stdio)').choices(['stdio', 'http']),
    )
    .addOption(
      new Option('--with <features>', 'beside tools: resources, prompts, or none (default)').argParser(
        collectList,
      ),
    )
    .option('--auth', 'require tokens of an authorization server, over HTTP')
    .option('--install', 'run npm install')
    .option('--yes', 'do not ask')
    .addHelpText('after', NEW_HELP)
    .action(async (words: string[], flags: NewFlags) => {
      const { newProject } = await import('../commands/new.js');
      done(await newProject(words, flags));
    });
}
