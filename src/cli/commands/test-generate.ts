/** `plumb test --generate`: a test file from a live server, or one for each server of a configuration. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { connect } from '../../client/index.js';
import { printable, safeJson } from '../../protocol/display.js';
import { type GeneratedSuite, generateSuite } from '../../testing/generate/generate-suite.js';
import { writeSuite } from '../../testing/generate/write-suite.js';
import { ScriptedResponder } from '../../testing/run/answer-script.js';
import { type ConcreteReach, reach } from '../../testing/run/reach.js';
import { CommandFailure, EXIT_FAILED, EXIT_OK, EXIT_UNREACHABLE, UsageError } from '../failure/failure.js';
import { connectLimit } from '../options/flags.js';
import { StatusLine } from '../output/status.js';
import { createTerminal } from '../output/terminal.js';
import { Interruption } from '../session/interruption.js';
import { configuredServers, type FleetMember, runFleet } from '../test-runs/fleet.js';
import { fleetTable } from '../test-runs/fleet-table.js';
import type { TestFlags } from '../test-runs/test-flags.js';
import { givenServer, timeLimit } from '../test-runs/test-target.js';

const DEFAULT_TIMEOUT = 30_000;

export async function generateTests(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: TestFlags,
): Promise<number> {
  const interruption = new Interruption();
  try {
    const isFleet =
      flags.config !== undefined && words.length === 0 && command === undefined && flags.url === undefined;
    if (isFleet) return await generateForAll(flags, interruption.signal);
    const server = givenServer(words, command, {
      ...flags,
      mcpConfig: flags.mcpConfig ?? flags.config ?? '',
    });
    if (server === undefined || server.reach.kind === 'name')
      throw new UsageError('No server: give a URL, a name with --config mcp.json, or a command after --');
    return await generateForOne(server.reach, flags, interruption.signal);
  } finally {
    interruption.release();
  }
}

async function generateForOne(server: ConcreteReach, flags: TestFlags, signal: AbortSignal): Promise<number> {
  const status = new StatusLine(createTerminal(process.stderr));
  const suite = await generate(server, flags, signal, (what) =>
    status.show(`generating: ${what}`.slice(0, 70)),
  );
  status.clear();
  const file = flags.out ?? `${fileStem(String(suite.content.name))}.generated.json`;
  if (file === '-') {
    process.stdout.write(writeSuite(suite.content, '.json'));
    return EXIT_OK;
  }
  save(file, writeSuite(suite.content, file));
  for (const note of suite.notes) status.print(`plumb: ${printable(note)}`);
  if (flags.json === true)
    process.stdout.write(`${safeJson({ file, ...Object(suite.content.metadata) }, 2)}\n`);
  else status.print(`plumb: wrote ${suite.count} tests to ${file}; run them with: plumb test ${file}`);
  return EXIT_OK;
}

async function generate(
  server: ConcreteReach,
  flags: TestFlags,
  signal: AbortSignal,
  onProgress: (what: string) => void,
): Promise<GeneratedSuite> {
  const initTimeout = connectLimit(flags, {});
  const reached = await reach(server, undefined, initTimeout);
  const responder = new ScriptedResponder({ elicit: ['accept'], sample: ['A sampled answer.'], roots: [] });
  let client: Awaited<ReturnType<typeof connect>> | undefined;
  try {
    client = await connect(reached.target, {
      name: 'plumb-test',
      title: 'Plumb test generator',
      initTimeout,
      signal,
      cache: false,
      whenNotReady: 'wait',
      recover: { initialDelay: 50, maxRetries: 3, maxReplays: 0 },
      ...responder.handlers(),
    });
    const { depth } = flags;
    return await generateSuite(client, {
      depth,
      edges: depth !== 'basic' && flags.edgeCases !== false,
      negatives: depth === 'comprehensive' || flags.negativeTests === true,
      snapshots: flags.snapshots === true,
      timeout: flags.timeout === undefined ? DEFAULT_TIMEOUT : timeLimit(flags.timeout),
      probe: reached.probe,
      server: written(server),
      onProgress,
    });
  } catch (error) {
    if (client !== undefined) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(EXIT_UNREACHABLE, printable(message), { cause: error });
  } finally {
    await client?.close();
    await reached.close();
  }
}

/** Without environment and headers, which may hold credentials; those are named, to be filled in. */
function written(server: ConcreteReach): unknown {
  if (server.kind === 'url')
    return { url: server.url, transport: server.transport === 'sse' ? 'sse' : 'streamable-http' };
  if (server.kind !== 'command') return undefined;
  const { command, args, cwd } = server;
  return { command, args: [...args], ...(cwd === undefined || cwd === process.cwd() ? {} : { cwd }) };
}

async function generateForAll(flags: TestFlags, signal: AbortSignal): Promise<number> {
  const members = configuredServers(flags.config, flags);
  const directory = flags.out ?? 'tests';
  const rows = await runFleet(members, signal, async ({ name, reach: server }: FleetMember) => {
    const suite = await generate(server, flags, signal, () => {});
    const file = join(directory, `${fileStem(name)}.generated.json`);
    save(file, writeSuite({ ...suite.content, name }, file));
    return { tests: suite.count, disabled: suite.notes.length, file };
  });
  const out = createTerminal(process.stdout);
  if (flags.json === true) out.write(`${safeJson(rows, 2)}\n`);
  else out.write(fleetTable(rows, ['tests', 'disabled', 'file'], (style, text) => out.style(style, text)));
  if (rows.some(({ failure }) => failure !== undefined)) return EXIT_UNREACHABLE;
  return rows.length === 0 ? EXIT_FAILED : EXIT_OK;
}

function fileStem(name: string): string {
  return (
    name
      .replaceAll(/[^\w.-]+/g, '-')
      .replace(/^[.-]+/, '')
      .slice(0, 80) || 'server'
  );
}

function save(file: string, text: string): void {
  try {
    mkdirSync(dirname(resolve(file)), { recursive: true });
    writeFileSync(file, text);
  } catch (cause) {
    throw new UsageError(`Cannot write ${file}; choose another place with -o`, { cause });
  }
}
