/** `plumb test`, as the command line knows it. */

import { type Command, Option } from 'commander';
import type { TestFlags } from '../commands/test.js';
import { collect, collectList, parseCount } from '../options/flags.js';
import { addConnectTimeout } from '../options/options.js';
import { knownRevisions } from '../options/revisions.js';

const TEST_HELP = `
CONFIG is a YAML or JSON file, or a module (.js, .ts) that exports a suite. The configuration files of mcp-jest run
unchanged. A server given here (a URL, a name with --mcp-config, or a command after --) replaces that of the file;
without CONFIG, --tools, --resources and --prompts say what to test.

  server: { command: node, args: [server.js] }
  tests:
    tools:
      add: { args: { a: 5, b: 3 }, expect: "content[0].text === '8'" }
    resources:
      'docs/*': { expect: count >= 1 }

Examples:
  plumb test tests.yaml
  plumb test tests.yaml --filter 'search*' --revision all --transport stdio,http
  plumb test tests.yaml --reporter junit --report-output report.xml
  plumb test --tools search,email -- node server.js
  plumb test --generate -o tests.yaml -- node server.js
  plumb test --generate --config mcp.json -o tests/

Exit codes:
  0 passed, 1 failed, 2 wrong usage or no usable file, 3 a server did not start.`;

export function addTestingCommands(
  program: Command,
  command: readonly string[] | undefined,
  done: (exitCode: number) => void,
): void {
  addConnectTimeout(program.command('test'))
    .summary('test a server with a file of calls and expectations')
    .description('Runs the tests of a file against a server, or generates such a file from a server.')
    .usage('[options] [CONFIG] [TARGET] [-- COMMAND...]')
    .argument('[words...]')
    .option('-c, --config <file>', 'the test file; with --generate, a file with an "mcpServers" map')
    .option('--mcp-config <file>', 'file with an "mcpServers" map, for servers by name')
    .option('-s, --server <command>', 'the command that starts the server, or one of the servers of the file')
    .addOption(
      new Option('--args <list>', 'arguments of the server command, between commas').argParser(collectList),
    )
    .addOption(new Option('-t, --tools <list>', 'test these tools').argParser(collectList))
    .addOption(new Option('-r, --resources <list>', 'test these resources').argParser(collectList))
    .addOption(new Option('-p, --prompts <list>', 'test these prompts').argParser(collectList))
    .option(
      '--timeout <time>',
      'time limit of each test: 30s, 500ms, or a number of milliseconds (default: 30 s)',
    )
    .option('-u, --update-snapshots', 'write snapshots instead of comparing (also: UPDATE_SNAPSHOTS=true)')
    .addOption(
      new Option('-f, --filter <pattern>', 'only tests whose names match; * stands for anything').argParser(
        collectList,
      ),
    )
    .addOption(new Option('--skip <pattern>', 'no tests whose names match').argParser(collectList))
    .addOption(
      new Option('--case <name>', 'only the test of exactly this name (repeatable)').argParser(collect),
    )
    .addOption(
      new Option('--tags <list>', 'only tests with one of these tags; !tag leaves out').argParser(
        collectList,
      ),
    )
    .addOption(
      new Option(
        '--transport <list>',
        'stdio, http (streamable-http) or sse; several make a matrix',
      ).argParser(collectList),
    )
    .option('--url <url>', 'the URL of the server')
    .addOption(
      new Option(
        '--header <header>',
        'send "Name: value" with every request, for URLs (repeatable)',
      ).argParser(collect),
    )
    .addOption(
      new Option('--env <variable>', 'set NAME=value for the server (repeatable)').argParser(collect),
    )
    .addOption(
      new Option('--revision <list>', `in these protocol revisions, or all (${knownRevisions()})`).argParser(
        collectList,
      ),
    )
    .addOption(
      new Option('--retries <number>', 'how often a test that fails is repeated').argParser(parseCount),
    )
    .addOption(new Option('--concurrency <number>', 'how many tests run at a time').argParser(parseCount))
    .option('--bail', 'stop after the first failure')
    .option('--strict', 'protocol violations of the server fail tests')
    .addOption(
      new Option(
        '--reporter <list>',
        'console (terminal), json, junit, html or github (default: console)',
      ).argParser(collectList),
    )
    .addOption(
      new Option(
        '--report-output <file>',
        'where reports are written (repeatable, in the order of --reporter)',
      ).argParser(collect),
    )
    .option('--title <text>', 'title of the HTML report')
    .addOption(new Option('--theme <name>', 'of the HTML report').choices(['light', 'dark', 'auto']))
    .option('--raw-data', 'add the results as JSON to the HTML report')
    .option('--open', 'open the HTML report in the browser')
    .option('-w, --watch', 'run again when files change; the server is started anew')
    .addOption(
      new Option('--watch-paths <list>', 'what to watch (default: the current directory)').argParser(
        collectList,
      ),
    )
    .option('--generate', 'write a test file from what a server offers')
    .option('-o, --out <file>', 'with --generate: where to write (default: NAME.generated.json)')
    .addOption(
      new Option('--depth <depth>', 'with --generate: how much')
        .choices(['basic', 'standard', 'comprehensive'])
        .default('standard'),
    )
    .option('--no-edge-cases', 'with --generate: no cases at the edges of schemas')
    .option('--negative-tests', 'with --generate: calls that must fail (default with comprehensive)')
    .option('--snapshots', 'with --generate: compare results with snapshots')
    .option('--verbose', 'show every test, also what is left out')
    .option('--json', 'print the result as JSON')
    .option('-v, --version', 'print the version')
    .addOption(new Option('--action', 'run with the inputs of action.yml').hideHelp())
    .addHelpText('after', TEST_HELP)
    .action(async (words: string[], flags: TestFlags) => {
      const { test } = await import('../commands/test.js');
      done(await test(words, command, flags));
    });
}
