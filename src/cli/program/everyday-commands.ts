/** `plumb new` and `plumb dev`, as the command line knows them. */

import { type Command, Option } from 'commander';
import type { DevFlags } from '../commands/dev.js';
import type { NewFlags } from '../commands/new.js';
import { collect, collectList } from '../options/flags.js';
import { addListenOptions } from '../options/http-options.js';
import { addConnectTimeout } from '../options/options.js';

const NEW_HELP = `
The project has a server in TypeScript with tests, a Dockerfile, a CI workflow and a manifest for MCP bundles. At a terminal,
what is not given is asked for; --yes takes the defaults.

Examples:
  plumb new my-server
  plumb new my-server --with resources,prompts --install
  plumb new my-server --transport http --auth --yes
  npm create plumb-mcp my-server`;

const DEV_HELP = `
At a terminal the server is reached over HTTP, through a chain that stays while the server restarts; the addresses for clients
and for the inspector are printed. A client that starts plumb dev itself talks to it over stdio.

Source files below the current folder are watched (not node_modules, not data files); --watch names other folders or files.
TypeScript files run with Node 22.18 or later, or with tsx where the project has it.

Examples:
  plumb dev -- node server.ts
  plumb dev --http 3000 --inspect 3001 -- node src/main.ts
  plumb dev --watch src --no-validate -- python server.py
  plumb add my-server --client cursor -- plumb dev -- node /path/to/server.ts`;

export function addEverydayCommands(
  program: Command,
  command: readonly string[] | undefined,
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

  addConnectTimeout(addListenOptions(program.command('dev')))
    .summary('run a server while you write it')
    .description(
      'Starts a server again when its sources change, while clients and the inspector stay connected.',
    )
    .usage('[options] -- COMMAND...')
    .argument('[words...]')
    .addOption(
      new Option(
        '--watch <path>',
        'watch this folder or file (repeatable; default: the current folder)',
      ).argParser(collect),
    )
    .addOption(
      new Option('--env <variable>', 'set NAME=value for the server (repeatable)').argParser(collect),
    )
    .option('--no-validate', 'do not validate what changed')
    .addHelpText('after', DEV_HELP)
    .action(async (words: string[], flags: DevFlags) => {
      const { dev } = await import('../commands/dev.js');
      done(await dev(words, command, flags));
    });
}
