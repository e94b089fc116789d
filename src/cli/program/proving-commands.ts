/** `plumb validate` and `plumb doctor`, as the command line knows them. */

import { type Command, Option } from 'commander';
import type { DoctorFlags } from '../commands/doctor.js';
import type { ValidateFlags } from '../commands/validate.js';
import { collect, collectList, parseCount, parseDuration } from '../options/flags.js';
import { addConnectTimeout } from '../options/options.js';
import { knownRevisions } from '../options/revisions.js';
import { endAtOnce } from '../session/interruption.js';

const VALIDATE_HELP = `
TARGET is a URL or a name in a config file, as the first argument; or a command that starts the server, after --.

A client gets the server through a placeholder in its command: {url} for HTTP; {server}, the path of a Node program,
or {config}, the path of an mcp.json file, for stdio.

Without TARGET, --config FILE validates all servers of the file, and prints one table.

The validator calls only tools that the server marks as read-only and those named with --tool, or all with --call-tools.

Examples:
  plumb validate -- node server.js
  plumb validate https://example.com/mcp --fail-on should --out report.xml
  plumb validate https://example.com/mcp --token-command "node mint-token.js"
  plumb validate --config mcp.json --out report.html
  plumb validate --client -- node client.js {url}
  plumb validate --client -- node client.js --server "node {server}"
  plumb validate --client --listen 3000
  plumb validate --list

Exit codes:
  0 no failure that --fail-on covers, 1 such a failure, 2 wrong usage, 3 no connection.`;

const DOCTOR_HELP = `
TARGET is a URL or a name in a config file, as the first argument; or a command that starts the server, after --.

Examples:
  plumb doctor -- node server.js
  plumb doctor https://example.com/mcp
  plumb doctor --config mcp.json`;

export function addProvingCommands(
  program: Command,
  command: readonly string[] | undefined,
  done: (exitCode: number) => void,
): void {
  targetOptions(program.command('validate'))
    .summary('test whether a server or a client complies')
    .description(
      'Tests a server against every requirement of the specification, in every revision that it supports.',
    )
    .usage('[options] [TARGET] [-- COMMAND...]')
    .argument('[words...]')
    .addOption(
      new Option('--revision <date>', `test only these revisions (${knownRevisions()})`).argParser(
        collectList,
      ),
    )
    .addOption(
      new Option(
        '--only <ids>',
        'test only these requirements, by number (with --client: also scenarios, by name)',
      ).argParser(collectList),
    )
    .addOption(new Option('--tool <name>', 'allow this tool to be called (repeatable)').argParser(collect))
    .option('--call-tools', 'call every tool, also those that are not read-only')
    .option(
      '--token-command <command>',
      'prints a token for TOKEN_SCOPE and TOKEN_AUDIENCE, expired when TOKEN_EXPIRED is 1',
    )
    .option('--sse', 'the URL is the event stream of the old HTTP+SSE transport')
    .option('--client', 'validate a client: the command is a client, or see --listen')
    .addOption(
      new Option('--listen <port>', 'with --client: wait for any client on this port').argParser(parseCount),
    )
    .addOption(
      new Option('--fuzz <time>', 'also send random messages for this long').argParser(parseDuration),
    )
    .addOption(
      new Option('--seed <number>', 'seed of the random messages, to repeat a run').argParser(parseCount),
    )
    .addOption(
      new Option('--fail-on <level>', 'which failures set the exit code to 1')
        .choices(['must', 'should', 'none'])
        .default('must'),
    )
    .option('--baseline <file>', 'known findings, which do not count; --update-baseline writes the file')
    .option('--update-baseline', 'write the findings to the baseline file')
    .option('--list', 'print every requirement and whether it is checked')
    .option('--json', 'print the report as JSON')
    .option('--full', 'with --json and .json: every exchange, not only those of findings')
    .option('--source <file>', 'the source file that findings of a SARIF report point at')
    .option('--quiet', 'print only the verdict')
    .option(
      '--out <file>',
      'write a report; the file extension selects the format: .html .json .md .xml (JUnit) .sarif .svg (repeatable)',
      collect,
    )
    .addHelpText('after', VALIDATE_HELP)
    .action(async (words: string[], flags: ValidateFlags) => {
      const { validate } = await import('../commands/validate.js');
      done(await endAtOnce(() => validate(words, command, flags)));
    });

  targetOptions(program.command('doctor'))
    .summary('find out why a connection does not work')
    .description('Connects step by step, and reports what is wrong and how to fix it.')
    .usage('[options] [TARGET] [-- COMMAND...]')
    .argument('[words...]')
    .option('--json', 'print the steps as JSON')
    .addHelpText('after', DOCTOR_HELP)
    .action(async (words: string[], flags: DoctorFlags) => {
      const { doctor } = await import('../commands/doctor.js');
      done(await endAtOnce(() => doctor(words, command, flags)));
    });
}

function targetOptions(command: Command): Command {
  return addConnectTimeout(command)
    .option('--config <file>', 'file with an "mcpServers" map')
    .addOption(
      new Option('--header <header>', 'send "Name: value" with every request (repeatable)').argParser(
        collect,
      ),
    )
    .addOption(
      new Option('--env <variable>', 'set NAME=value for the server (repeatable)').argParser(collect),
    )
    .addOption(new Option('--timeout <time>', 'how long to wait for an answer').argParser(parseDuration));
}
