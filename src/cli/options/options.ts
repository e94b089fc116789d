/** Options that commands share, as their help shows them. */

import { type Command, Option } from 'commander';
import {
  collect,
  collectList,
  DEFAULT_CONNECT_TIMEOUT_MS,
  DEFAULT_TIMEOUT_MS,
  formatDuration,
  parseDuration,
} from './flags.js';
import { knownRevisions } from './revisions.js';

/** For every command that talks to a server. */
export function addConnectionOptions(command: Command): Command {
  return addConnectTimeout(addTargetOptions(command))
    .addOption(
      new Option(
        '--timeout <time>',
        `how long to wait for an answer: 30, 500ms, 2m (default: ${formatDuration(DEFAULT_TIMEOUT_MS)}; progress restarts it)`,
      ).argParser(parseDuration),
    )
    .option('--account <name>', 'use this login, where you have several at a server (see plumb login --help)')
    .option('--stderr', "show the server's stderr as it arrives (default: only after a failure)")
    .option('--verbose', "show the server's log messages and protocol violations")
    .option('--json', 'print the raw result as one JSON document');
}

/** For every command that starts or reaches servers. */
export function addConnectTimeout(command: Command): Command {
  return command.addOption(
    new Option(
      '--connect-timeout <time>',
      `how long a server may take to start and answer: 90, 500ms, 2m (default: ${formatDuration(DEFAULT_CONNECT_TIMEOUT_MS)}, or "connectTimeout" of its config entry)`,
    ).argParser(parseDuration),
  );
}

/** Where the server is, and what it gets. */
export function addTargetOptions(command: Command): Command {
  return command
    .option(
      '--config <file>',
      'file with an "mcpServers" map (default: mcp.json, .mcp.json, .vscode/ or .cursor/mcp.json)',
    )
    .addOption(
      new Option(
        '--revision <date>',
        `use only this protocol revision, or these (${knownRevisions()})`,
      ).argParser(collectList),
    )
    .addOption(
      new Option(
        '--header <header>',
        'send "Name: value" with every request, for URLs (repeatable)',
      ).argParser(collect),
    )
    .addOption(
      new Option(
        '--env <variable>',
        'set NAME=value for the server, or pass NAME on to one from a config file (repeatable)',
      ).argParser(collect),
    );
}

/** For commands during which the server may ask for input. */
export function addAskOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--answer <key=value>', 'answer to a form of the server (repeatable)').argParser(collect),
    )
    .option('--answers <json>', 'all answers as a JSON object; @file reads a file, - reads stdin')
    .option('--sample-text <text>', 'answer for sampling requests of the server')
    .addOption(
      new Option('--root <path>', 'a directory to offer to the server as a root (repeatable)').argParser(
        collect,
      ),
    );
}
