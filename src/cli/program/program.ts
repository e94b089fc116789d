/**
 * The commands and their help. Each command's own module is loaded when it runs, so that `plumb --help` does not pay
 * for the client, the server or the validators.
 */

import { Command, CommanderError, Option } from 'commander';
import { PLUMB_VERSION } from '../../protocol/version.js';
import type { CallFlags } from '../commands/call.js';
import type { ChainFlags } from '../commands/chain.js';
import type { CompleteFlags } from '../commands/complete.js';
import type { DemoFlags } from '../commands/demo.js';
import type { InspectFlags } from '../commands/inspect.js';
import type { ListFlags } from '../commands/list.js';
import type { LoginFlags } from '../commands/login.js';
import type { PromptFlags } from '../commands/prompt.js';
import type { ProxyFlags } from '../commands/proxy.js';
import type { ReadFlags } from '../commands/read.js';
import type { StartFlags } from '../commands/start.js';
import { EXIT_OK, EXIT_USAGE } from '../failure/failure.js';
import { collect, collectList, parseCount } from '../options/flags.js';
import { addHttpOptions, addListenOptions } from '../options/http-options.js';
import {
  addAskOptions,
  addConnectionOptions,
  addConnectTimeout,
  addTargetOptions,
} from '../options/options.js';
import { knownRevisions } from '../options/revisions.js';
import { addStoreOption } from '../options/shared-store.js';
import { addUpstreamLoginOptions } from '../options/upstream-login.js';
import { reportFailure, reportLine } from '../output/report.js';
import { addClientCommands } from './client-commands.js';
import { addContractCommands } from './contract-commands.js';
import { addEverydayCommands } from './everyday-commands.js';
import {
  CALL_HELP,
  CHAIN_HELP,
  COMPLETE_HELP,
  DEMO_HELP,
  INSPECT_HELP,
  LIST_HELP,
  LOGIN_HELP,
  LOGOUT_HELP,
  PROMPT_HELP,
  PROXY_HELP,
  READ_HELP,
  ROOT_HELP,
} from './help.js';
import { addProvingCommands } from './proving-commands.js';
import { addTaskCommands } from './task-commands.js';
import { addTestingCommands } from './testing-commands.js';

/** Runs a command line (without the program's own name) and returns the exit code. */
export async function run(words: readonly string[]): Promise<number> {
  const { ours, command } = splitCommand(words);
  let exitCode = EXIT_OK;
  const program = createProgram(command, (code) => {
    exitCode = code;
  });
  if (ours.length === 0) {
    program.outputHelp();
    return EXIT_OK;
  }
  try {
    await program.parseAsync(ours, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error);
    if (error.exitCode === 0) return EXIT_OK;
    reportLine(describeUsage(error, ours));
    return EXIT_USAGE;
  }
}

/** What stands after the first `--` starts a server, and none of it is ours. */
function splitCommand(words: readonly string[]): { ours: string[]; command: string[] | undefined } {
  const dashes = words.indexOf('--');
  if (dashes < 0) return { ours: [...words], command: undefined };
  return { ours: words.slice(0, dashes), command: words.slice(dashes + 1) };
}

function createProgram(command: readonly string[] | undefined, done: (exitCode: number) => void): Command {
  const program = new Command('plumb')
    .description(
      'Build, connect, chain, validate and inspect MCP servers and clients, in every published protocol revision.',
    )
    .version(PLUMB_VERSION)
    .exitOverride()
    // Errors are reported in one line of our own; see describeUsage.
    .configureHelp({ subcommandTerm: (subcommand) => subcommand.name() })
    .configureOutput({ writeErr: () => {}, outputError: () => {} })
    .addHelpText('after', ROOT_HELP);

  addAskOptions(addConnectionOptions(program.command('list')))
    .summary('list what a server offers')
    .description('Lists the tools, resources, resource templates and prompts of a server.')
    .usage('[options] [TARGET] [tools|resources|templates|prompts] [-- COMMAND...]')
    .argument('[words...]')
    .option('--long', 'show descriptions and instructions in full, also on a terminal')
    .option(
      '--clients',
      'show what the MCP clients on this machine have configured, and what is broken there',
    )
    .addHelpText('after', LIST_HELP)
    .action(async (words: string[], flags: ListFlags & { clients?: boolean }) => {
      if (flags.clients === true) {
        const { listClients } = await import('../commands/list-clients.js');
        done(await listClients(words, command, flags));
        return;
      }
      const { list } = await import('../commands/list.js');
      done(await list(words, command, flags));
    });

  addAskOptions(addConnectionOptions(program.command('call')))
    .summary('call a tool')
    .description('Calls a tool and prints its result. Arguments are converted to the types in its schema.')
    .usage('[options] [TARGET] TOOL [key=value...] [-- COMMAND...]')
    .argument('[words...]')
    .option('--args <json>', 'arguments as a JSON object; @file reads a file, - reads stdin')
    .option('--out <file>', 'save the images, audio or other content of the result to this file')
    .option(
      '--retry',
      'repeat the call if the server dies during it (default for read-only and idempotent tools)',
    )
    .addHelpText('after', CALL_HELP)
    .action(async (words: string[], flags: CallFlags) => {
      const { call } = await import('../commands/call.js');
      done(await call(words, command, flags));
    });

  addAskOptions(addConnectionOptions(program.command('read')))
    .summary('read a resource')
    .description('Reads a resource and prints its contents.')
    .usage('[options] [TARGET] URI [-- COMMAND...]')
    .argument('[words...]')
    .option('--out <file>', 'save the contents to this file instead')
    .addHelpText('after', READ_HELP)
    .action(async (words: string[], flags: ReadFlags) => {
      const { read } = await import('../commands/read.js');
      done(await read(words, command, flags));
    });

  addAskOptions(addConnectionOptions(program.command('prompt')))
    .summary('get a prompt')
    .description('Gets a prompt with its arguments filled in, and prints its messages.')
    .usage('[options] [TARGET] NAME [key=value...] [-- COMMAND...]')
    .argument('[words...]')
    .addHelpText('after', PROMPT_HELP)
    .action(async (words: string[], flags: PromptFlags) => {
      const { prompt } = await import('../commands/prompt.js');
      done(await prompt(words, command, flags));
    });

  addConnectionOptions(program.command('complete'))
    .summary('complete an argument')
    .description('Asks a server to complete an argument of a prompt or of a resource template.')
    .usage('[options] [TARGET] prompt:NAME|resource:TEMPLATE ARGUMENT [VALUE] [-- COMMAND...]')
    .argument('[words...]')
    .addOption(
      new Option('--with <key=value>', 'the value of another argument (repeatable)').argParser(collect),
    )
    .addHelpText('after', COMPLETE_HELP)
    .action(async (words: string[], flags: CompleteFlags) => {
      const { complete } = await import('../commands/complete.js');
      done(await complete(words, command, flags));
    });

  addTaskCommands(program, command, done);
  addClientCommands(program, command, done);
  addEverydayCommands(program, command, done);
  addProvingCommands(program, command, done);
  addContractCommands(program, command, done);
  addTestingCommands(program, command, done);

  addConnectTimeout(addTargetOptions(program.command('inspect')))
    .summary('inspect servers in the browser')
    .description(
      'Opens the inspector: connect to servers, use them, and see every message in both directions.',
    )
    .usage('[options] [TARGET] [-- COMMAND...]')
    .argument('[words...]')
    .addOption(new Option('--port <port>', 'listen on this port (default: a free one)').argParser(parseCount))
    .option('--no-open', 'do not open the browser')
    .addHelpText('after', INSPECT_HELP)
    .action(async (words: string[], flags: InspectFlags) => {
      const { inspect } = await import('../commands/inspect.js');
      done(await inspect(words, command, flags));
    });

  program
    .command('login')
    .summary('log in to a server')
    .description(
      'Logs in to a server behind a URL, in the browser; other commands then use and renew the login.',
    )
    .usage('[options] TARGET')
    .argument('[words...]')
    .option('--config <file>', 'file with an "mcpServers" map')
    .addOption(new Option('--scope <scope>', 'request this scope (repeatable)').argParser(collect))
    .option('--client-id <id>', 'use a manually registered client; PLUMB_CLIENT_SECRET holds its secret')
    .option('--issuer <url>', 'the authorization server that this client is registered with')
    .option('--account <name>', 'keep this login apart from others at the same server')
    .option('--no-browser', 'only print the address of the login page')
    .addHelpText('after', LOGIN_HELP)
    .action(async (words: string[], flags: LoginFlags) => {
      const { login } = await import('../commands/login.js');
      done(await login(words, flags));
    });

  program
    .command('logout')
    .summary('log out of a server')
    .description('Revokes the login to a server, and deletes it.')
    .usage('[options] TARGET')
    .argument('[words...]')
    .option('--config <file>', 'file with an "mcpServers" map')
    .option('--account <name>', 'of this account')
    .addHelpText('after', LOGOUT_HELP)
    .action(async (words: string[], flags: { config?: string; account?: string }) => {
      const { logout } = await import('../commands/logout.js');
      done(await logout(words, flags));
    });

  addConnectTimeout(addListenOptions(program.command('chain')))
    .summary('serve several servers as one, behind middleware')
    .description('Serves a chain: a module that exports one, or a YAML or JSON file that describes one.')
    .usage('[options] FILE')
    .argument('[file]')
    .option('--mcp <file>', 'combine all servers of this client configuration (mcp.json) into one endpoint')
    .option('--no-reload', 'do not reload the file when it changes')
    .option('--stderr', 'show the stderr of the servers as it arrives')
    .option('--no-browser', 'only print the address of the login page of a server that needs a login')
    .addHelpText('after', CHAIN_HELP)
    .action(async (file: string | undefined, flags: ChainFlags) => {
      const { chain } = await import('../commands/chain.js');
      done(await chain(file, flags));
    });

  addUpstreamLoginOptions(addListenOptions(addConnectionOptions(program.command('proxy'))))
    .summary('serve a server over another transport, in every revision')
    .description('Forwards everything to one server, over another transport and in every protocol revision.')
    .usage('[options] [TARGET] [-- COMMAND...]')
    .argument('[words...]')
    .option(
      '--isolate <who>',
      'which callers share a connection to the server: shared, session or principal (default: session)',
    )
    .addOption(
      new Option(
        '--max-processes <count>',
        'how many processes of the server may run at once; further sessions wait (default: 16)',
      ).argParser(parseCount),
    )
    .addHelpText('after', PROXY_HELP)
    .action(async (words: string[], flags: ProxyFlags) => {
      const { proxy } = await import('../commands/proxy.js');
      done(await proxy(words, command, flags));
    });

  addHttpOptions(
    addStoreOption(program.command('demo'))
      .summary('run a demo server with every feature')
      .description('Runs a server with every feature of the protocol, for testing clients.'),
  )
    .addOption(
      new Option(
        '--revisions <list>',
        `support only these protocol revisions (${knownRevisions()})`,
      ).argParser(collectList),
    )
    .addOption(new Option('--tools <count>', 'add this many tools, for long lists').argParser(parseCount))
    .addOption(new Option('--page-size <count>', 'items in one page of a list').argParser(parseCount))
    .addHelpText('after', DEMO_HELP)
    .action(async (flags: DemoFlags) => {
      const { demo } = await import('../commands/demo.js');
      done(await demo(flags));
    });

  program
    .command('start')
    .summary('try Plumb: demo server, chain and inspector')
    .description('Serves the demo server behind a chain over HTTP, and opens the inspector for it.')
    .addOption(new Option('--port <port>', 'listen on this port').argParser(parseCount).default(3300))
    .option('--no-open', 'do not open the browser')
    .action(async (flags: StartFlags) => {
      const { start } = await import('../commands/start.js');
      done(await start(flags));
    });

  return program;
}

const LISTENING: ReadonlySet<string> = new Set(['chain', 'proxy', 'demo', 'dev']);

/** The parser's complaint, on one line, and where to read on. */
function describeUsage({ code, message }: CommanderError, words: readonly string[]): string {
  const [verb, topic] = words.filter((word) => !word.startsWith('-'));
  // `plumb help nonsense`: the parser would print the whole help instead.
  if (code === 'commander.help') return `unknown command '${topic ?? verb}'; see plumb --help`;
  const complaint = message
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replace(/\.$/, '');
  if (code === 'commander.unknownOption') {
    // Where other tools have a port; and where others have an option for each argument.
    if (LISTENING.has(verb ?? '') && /'--port\b/.test(complaint))
      return `unknown option '--port'; use --http PORT`;
    if (verb === 'call' || verb === 'prompt')
      return `${complaint}; write arguments as key=value, and see plumb ${verb} --help`;
  }
  const about = verb === undefined || code === 'commander.unknownCommand' ? '' : ` ${verb}`;
  return `${complaint}; see plumb${about} --help`;
}
