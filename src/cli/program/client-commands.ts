/** `plumb add` and `plumb remove`, as the command line knows them. */

import { type Command, Option } from 'commander';
import type { AddFlags } from '../commands/add.js';
import type { RemoveFlags } from '../commands/remove.js';
import { collect, collectList } from '../options/flags.js';
import { addConnectTimeout } from '../options/options.js';

const CLIENT_LIST = `
Clients: claude-desktop, claude-code, cursor, windsurf, vscode, opencode, continue, goose, codex, gemini, copilot-cli,
antigravity. Comments, order and formatting of their files stay as they are; the version from before each change is kept
in the folder plumb/backups of your configuration folder (~/.config, or %APPDATA% on Windows).`;

const ADD_HELP = `
TARGET is a URL, an npm package (npm:NAME, and its arguments after it), a server.json file of the MCP registry, or a
command last, after --. With --from, NAME is an entry of that client, and there is no TARGET. Without NAME, one is made
from the target. What is missing is asked for at a terminal.

Secrets: --env NAME without a value, and \${NAME} in a header, are written as a reference to the environment variable NAME,
in the client's own syntax. Clients that have none get the value, with a warning.

Before anything is written, the server is started or reached once; a server that does not answer is not added.
${CLIENT_LIST}

Examples:
  plumb add memory npm:@modelcontextprotocol/server-memory --client cursor,vscode
  plumb add files npm:@modelcontextprotocol/server-filesystem /data --client claude-desktop
  plumb add notes --client codex --env NOTES_TOKEN -- node server.js
  plumb add docs https://example.com/mcp --client claude-code --scope project --header 'Authorization: Bearer \${DOCS_TOKEN}'
  plumb add server.json --client all --dry-run
  plumb add docs --from cursor --client gemini,windsurf
  plumb add --hub memory npm:@modelcontextprotocol/server-memory --client all

Exit codes:
  0 success, 1 a file could not be written, 2 wrong usage, 3 no connection to the server, 4 timeout.`;

const REMOVE_HELP = `
Without --client the name is looked for in every client; without --scope, in the global file and in that of the project.
${CLIENT_LIST}

Examples:
  plumb remove memory --client cursor,vscode
  plumb remove docs --scope project --dry-run
  plumb remove memory --yes`;

export function addClientCommands(
  program: Command,
  command: readonly string[] | undefined,
  done: (exitCode: number) => void,
): void {
  addConnectTimeout(placeOptions(program.command('add')))
    .summary('add a server to the clients on this machine')
    .description(
      'Adds a server to the configuration of one or more MCP clients, and changes nothing else there.',
    )
    .usage('[options] [NAME] TARGET [-- COMMAND...]')
    .argument('[words...]')
    .addOption(
      new Option(
        '--env <variable>',
        'NAME=value for the server, or NAME for a reference (repeatable)',
      ).argParser(collect),
    )
    .addOption(
      new Option(
        '--header <header>',
        '"Name: value" for a URL, with references as below (repeatable)',
      ).argParser(collect),
    )
    .addOption(new Option('--transport <kind>', 'of a URL (default: http)').choices(['http', 'sse']))
    .option('--from <client>', 'copy the entry NAME of this client, or of the hub')
    .option(
      '--hub',
      'the hub runs the server once for all clients, which connect to it there (see plumb hub --help)',
    )
    .option('--per-client', 'with --hub: a process for each client')
    .option('--force', 'replace an entry of the same name')
    .option('--no-verify', 'write without connecting to the server first')
    .addHelpText('after', ADD_HELP)
    .action(async (words: string[], flags: AddFlags) => {
      const { add } = await import('../commands/add.js');
      done(await add(words, command, flags));
    });

  placeOptions(program.command('remove'))
    .summary('remove a server from the clients on this machine')
    .description('Removes a server from the configuration of MCP clients, and changes nothing else there.')
    .usage('[options] NAME')
    .argument('[words...]')
    .option('--hub', 'also from the hub')
    .addHelpText('after', REMOVE_HELP)
    .action(async (words: string[], flags: RemoveFlags) => {
      const { remove } = await import('../commands/remove.js');
      done(await remove(words, flags));
    });
}

function placeOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--client <ids>',
        'these clients, between commas; all: those found on this machine (repeatable)',
      ).argParser(collectList),
    )
    .addOption(
      new Option('--scope <scope>', 'for all projects, or for the one in this folder').choices([
        'global',
        'project',
      ]),
    )
    .option('--dry-run', 'show the changes as a diff, and write nothing')
    .option('--yes', 'do not ask before writing');
}
