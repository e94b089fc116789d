/** `plumb lock`, `plumb diff`, `plumb lint` and `plumb gen`, as the command line knows them. */

import { type Command, Option } from 'commander';
import type { DiffFlags } from '../commands/diff.js';
import type { GenFlags } from '../commands/gen.js';
import type { LintFlags } from '../commands/lint.js';
import type { LockFlags } from '../commands/lock.js';
import { collectList } from '../options/flags.js';
import { addAskOptions, addConnectionOptions } from '../options/options.js';

const TARGET = `
TARGET is a URL or a name in a config file, as the first argument; or a command that starts the server, after --.`;

const LOCK_HELP = `${TARGET}

The lock holds everything that the server shows to models: instructions, tools with their schemas and annotations,
prompts, resources and resource templates, each with its hash. Commit it, compare it in CI with plumb diff, and let a
chain hold the server to it:
  servers:
    files: { command: files-server, lock: plumb.lock.json, onDrift: block }

Examples:
  plumb lock -- node server.js
  plumb lock https://example.com/mcp -o example.lock.json
  plumb lock files --config mcp.json --no-resources`;

const DIFF_HELP = `${TARGET}

Each change has a level:
  breaking    callers may fail: a tool is gone, input is narrower, output is wider, an annotation changed
  model       words changed that a model reads: a description, a title, the instructions
  compatible  callers need not care: a new tool, a new optional argument

Examples:
  plumb diff -- node server.js
  plumb diff https://example.com/mcp --lock example.lock.json --fail-on breaking
  plumb diff old.lock.json new.lock.json --json

Exit codes:
  0 no change that --fail-on covers, 1 such a change, 2 wrong usage or no usable lock, 3 no connection.`;

const LINT_HELP = `${TARGET}

Reports what the list of tools costs in the context of a model, names and schemas that OpenAI, Anthropic or Gemini refuse
(each rule with its source), missing descriptions, and names that are hard to tell apart. Tokens are an estimate.

Examples:
  plumb lint -- node server.js
  plumb lint https://example.com/mcp --provider openai,gemini
  plumb lint files --fail-on warning --json

Exit codes:
  0 no finding that --fail-on covers, 1 such a finding, 2 wrong usage, 3 no connection.`;

const GEN_HELP = `${TARGET}

Writes one file for each tool, prompts.ts, resources.ts and an index. The code needs no package; it calls through a client
of Plumb or of the official SDK. With --cli it has a program too, which needs plumb-mcp; MCP_URL names another server.

Examples:
  plumb gen -o src/github -- npx -y @modelcontextprotocol/server-github
  plumb gen https://example.com/mcp -o src/example --cli`;

export function addContractCommands(
  program: Command,
  command: readonly string[] | undefined,
  done: (exitCode: number) => void,
): void {
  addAskOptions(addConnectionOptions(program.command('lock')))
    .summary('record what a server shows to models, to detect changes')
    .description('Writes a lock file: everything that a server shows to models, canonical and hashed.')
    .usage('[options] [TARGET] [-- COMMAND...]')
    .argument('[words...]')
    .option('-o, --out <file>', 'the lock file (default: plumb.lock.json); - prints it')
    .option('--no-resources', 'omit the list of resources, for servers where it changes often')
    .addHelpText('after', LOCK_HELP)
    .action(async (words: string[], flags: LockFlags) => {
      const { lock } = await import('../commands/lock.js');
      done(await lock(words, command, flags));
    });

  addAskOptions(addConnectionOptions(program.command('diff')))
    .summary('show what changed since a server was locked')
    .description('Compares a server with its lock, or two locks, and reports the changes that break callers.')
    .usage('[options] [TARGET | OLD.json NEW.json] [-- COMMAND...]')
    .argument('[words...]')
    .option('--lock <file>', 'the lock file (default: plumb.lock.json)')
    .addOption(
      new Option('--fail-on <level>', 'which findings set the exit code to 1')
        .choices(['breaking', 'model', 'any', 'none'])
        .default('model'),
    )
    .addHelpText('after', DIFF_HELP)
    .action(async (words: string[], flags: DiffFlags) => {
      const { diff } = await import('../commands/diff.js');
      done(await diff(words, command, flags));
    });

  addAskOptions(addConnectionOptions(program.command('lint')))
    .summary('check whether models can use the tools of a server')
    .description('Reports what tools cost in tokens, and what model providers refuse about them.')
    .usage('[options] [TARGET] [-- COMMAND...]')
    .argument('[words...]')
    .addOption(
      new Option('--provider <list>', 'only these providers (openai, anthropic, gemini)').argParser(
        collectList,
      ),
    )
    .addOption(
      new Option('--fail-on <level>', 'which findings set the exit code to 1')
        .choices(['error', 'warning', 'none'])
        .default('error'),
    )
    .addHelpText('after', LINT_HELP)
    .action(async (words: string[], flags: LintFlags) => {
      const { lint } = await import('../commands/lint.js');
      done(await lint(words, command, flags));
    });

  addAskOptions(addConnectionOptions(program.command('gen')))
    .summary('write a typed client for a server')
    .description('Writes TypeScript from what a server lists: types and a function for each tool and prompt.')
    .usage('[options] [TARGET] -o DIR [-- COMMAND...]')
    .argument('[words...]')
    .option('-o, --out <directory>', 'where to write')
    .option('--cli', 'also write a program for the command line')
    .option('--ts-imports', 'import files as .ts, for programs that Node runs as TypeScript')
    .addHelpText('after', GEN_HELP)
    .action(async (words: string[], flags: GenFlags) => {
      const { gen } = await import('../commands/gen.js');
      done(await gen(words, command, flags));
    });
}
