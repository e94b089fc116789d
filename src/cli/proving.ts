/** `plumb validate` and `plumb doctor`, as the command line knows them. */

import { type Command, Option } from 'commander';
import type { DoctorFlags } from './commands/doctor.js';
import type { ValidateFlags } from './commands/validate.js';
import { collect, collectList, parseCount, parseDuration } from './flags.js';
import { endAtOnce } from './interruption.js';
import { addConnectTimeout } from './options.js';
import { knownRevisions } from './revisions.js';

const VALIDATE_HELP = `
TARGET is a URL, or a name in a config file, as the first word; or a command that starts the server, last, after --.

A client is given the server in its command: {url} for HTTP; {server}, the path of a Node program, or {config}, the path
of an mcp.json file, for stdio.

Only tools that the server marks as read-only are called, those named with --tool, or all with --call-tools.

Examples:
  plumb validate -- node server.js
  plumb validate https://example.com/mcp --fail-on should --junit report.xml
  plumb validate --client -- node client.js {url}
  plumb validate --client -- node client.js --server "node {server}"
  plumb validate --client --listen 3000
  plumb validate --list

Exit codes:
  0 nothing that --fail-on names, 1 something was found, 2 wrong usage, 3 no connection.`;

const DOCTOR_HELP = `
TARGET is a URL, or a name in a config file, as the first word; or a command that starts the server, last, after --.

Examples:
  plumb doctor -- node server.js
  plumb doctor https://example.com/mcp`;

export function addProvingCommands(
  program: Command,
  command: readonly string[] | undefined,
  done: (exitCode: number) => void,
): void {
  targetOptions(program.command('validate'))
    .summary('prove that a server or a client complies')
    .description('Judges a server clause by clause, in every revision of the protocol that it speaks.')
    .usage('[options] [TARGET] [-- COMMAND...]')
    .argument('[words...]')
    .addOption(
      new Option('--revision <date>', `only these revisions (${knownRevisions()})`).argParser(collectList),
    )
    .addOption(
      new Option(
        '--only <ids>',
        'only these requirements, by number (with --client: also scenarios, by name)',
      ).argParser(collectList),
    )
    .addOption(new Option('--tool <name>', 'this tool may be called (repeatable)').argParser(collect))
    .option('--call-tools', 'call every tool, whatever it does')
    .option('--sse', 'the URL is the event stream of the old HTTP+SSE transport')
    .option('--client', 'validate a client: the command is a client, or see --listen')
    .addOption(
      new Option('--listen <port>', 'with --client: wait for any client on this port').argParser(parseCount),
    )
    .addOption(
      new Option('--fuzz <time>', 'also send random messages for this long').argParser(parseDuration),
    )
    .addOption(new Option('--seed <number>', 'of the random messages, to repeat a run').argParser(parseCount))
    .addOption(
      new Option('--fail-on <level>', 'what makes the exit code 1')
        .choices(['must', 'should', 'none'])
        .default('must'),
    )
    .option('--baseline <file>', 'findings in this file are known; --update-baseline writes it')
    .option('--update-baseline', 'write what was found to the baseline file')
    .option('--list', 'print every requirement and whether it is checked')
    .option('--json', 'print the report as JSON')
    .option('--quiet', 'no progress, and only the verdict')
    .option(
      '--out <file>',
      'write a report, by the ending of the file: .html .json .md .xml (JUnit) .sarif .tap .svg (repeatable)',
      collect,
    )
    .option('--junit <file>', 'write a JUnit report')
    .option('--sarif <file>', 'write a SARIF report')
    .option('--html <file>', 'write a page with every exchange')
    .option('--markdown <file>', 'write a Markdown report')
    .option('--tap <file>', 'write a TAP report')
    .option('--badge <file>', 'write an SVG badge')
    .addHelpText('after', VALIDATE_HELP)
    .action(async (words: string[], flags: ValidateFlags) => {
      const { validate } = await import('./commands/validate.js');
      done(await endAtOnce(() => validate(words, command, flags)));
    });

  targetOptions(program.command('doctor'))
    .summary('find out why a connection does not work')
    .description('Connects step by step, and says in words what is wrong and how to mend it.')
    .usage('[options] [TARGET] [-- COMMAND...]')
    .argument('[words...]')
    .option('--json', 'print the steps as JSON')
    .addHelpText('after', DOCTOR_HELP)
    .action(async (words: string[], flags: DoctorFlags) => {
      const { doctor } = await import('./commands/doctor.js');
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
    .addOption(new Option('--timeout <time>', 'how long an answer may take').argParser(parseDuration));
}
