/** `plumb new`, `plumb dev`, `plumb hub` and what belongs to it, as the command line knows them. */

import { type Command, Option } from 'commander';
import type { CompletionFlags } from '../commands/completion.js';
import type { DevFlags } from '../commands/dev.js';
import type { HubFlags } from '../commands/hub.js';
import type { NewFlags } from '../commands/new.js';
import { collect, collectList, parseCount, parseDuration } from '../options/flags.js';
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

const HUB_HELP = `
One background process runs the servers of all clients: each server once, or once for each client where it must be ("isolate":
"session" in its entry, or a server that asks for the roots of its client). The first client starts it; servers without clients
end after 5 minutes, and the hub after 30 minutes without servers. It listens on a local socket that only you can open, or on a
named pipe on Windows, and on no port.

  plumb add --hub NAME TARGET --client CLIENTS   adds a server to the hub, and to clients through it
  plumb hub status       what runs, for how many clients (default)
  plumb hub logs [NAME]  the log of the hub and the stderr of its servers; plumb logs is the same
  plumb hub inspect      opens the inspector inside the hub, and prints its address
  plumb hub stop         ends the hub and its servers
  plumb hub run          runs it here, in the foreground

The servers are in ~/.config/plumb/hub.json (%APPDATA%\\plumb on Windows), an "mcpServers" map. PLUMB_HUB names another folder.`;

const COMPLETION_HELP = `
Completes commands, options, names of servers in config files, clients, names in the hub, and, by asking the server, the names of
its tools, prompts and resources, the names of arguments, and values that the schema lists.

  bash: echo 'source <(plumb completion bash)' >> ~/.bashrc
  zsh:  echo 'source <(plumb completion zsh)' >> ~/.zshrc     (after compinit)
  fish: plumb completion fish > ~/.config/fish/completions/plumb.fish`;

const CONNECT_HELP = `
For the configuration of clients, where plumb add --hub writes it. It starts the hub where none runs, and passes messages
between the client on stdin and stdout, and the server in the hub.`;

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

  program
    .command('hub')
    .summary('run each server once for all clients')
    .description('Runs the servers of all clients on this machine, each once, in one background process.')
    .usage('[options] [status|stop|logs [NAME]|inspect|run]')
    .argument('[words...]')
    .option('--json', 'print the status as JSON')
    .option('--follow', 'with logs: go on with what is written')
    .addOption(new Option('--lines <count>', 'with logs: how many (default: 100)').argParser(parseCount))
    .addOption(
      new Option(
        '--idle <time>',
        'with run: end servers without clients after this time (default: 5m)',
      ).argParser(parseDuration),
    )
    .option('--no-browser', 'with run: only log the address of the login page of a server that needs a login')
    .addHelpText('after', HUB_HELP)
    .action(async (words: string[], flags: HubFlags) => {
      const { hub } = await import('../commands/hub.js');
      done(await hub(words, flags));
    });

  program
    .command('logs')
    .summary('show the log of the hub')
    .description('Shows the log of the hub, with the stderr of its servers.')
    .usage('[options] [NAME]')
    .argument('[name]')
    .option('--follow', 'go on with what is written')
    .addOption(new Option('--lines <count>', 'how many lines (default: 100)').argParser(parseCount))
    .action(async (name: string | undefined, flags: HubFlags) => {
      const { logs } = await import('../commands/hub.js');
      done(await logs(name, flags));
    });

  program
    .command('connect')
    .summary('connect a stdio client to a server of the hub')
    .description('Connects a client on stdin and stdout to a server that the hub runs.')
    .usage('NAME')
    .argument('[name]')
    .addHelpText('after', CONNECT_HELP)
    .action(async (name: string | undefined) => {
      const { connectToHub } = await import('../hub/connect.js');
      done(await connectToHub(name === undefined ? [] : [name], process.argv[1] ?? ''));
    });

  program
    .command('completion')
    .summary('print completion for a shell')
    .description('Prints a script that completes the command line of plumb in bash, zsh or fish.')
    .usage('bash|zsh|fish')
    .argument('[shell...]')
    .addOption(new Option('--words', 'print what the words after -- can be completed to').hideHelp())
    .addHelpText('after', COMPLETION_HELP)
    .action(async (shells: string[], flags: CompletionFlags) => {
      const { completion } = await import('../commands/completion.js');
      done(await completion(shells, command, flags, program));
    });
}
