/** Runs a suite over its servers, transports and revisions. */

import { type Duration, milliseconds } from '../../protocol/duration.js';
import { given, type Optional } from '../../protocol/given.js';
import type { ServerDefinition, Suite, SuiteSettings, TestedTransport } from '../suite/definition.js';
import { SuiteError } from '../suite/fields.js';
import { type Cell, runCell } from './cell.js';
import type { ConcreteReach } from './reach.js';
import { type CaseResult, type SuiteResult, summarise, withAliases } from './result.js';
import type { Selection } from './select.js';

export interface RunSuiteOptions {
  /** The server of a name that the file does not define. */
  readonly resolveName?: ((name: string) => ConcreteReach) | undefined;
  /** Over those of the file. */
  readonly settings?: Optional<SuiteSettings> | undefined;
  /** Exactly these cases, by name. */
  readonly names?: readonly string[] | undefined;
  /** Only these of the servers. */
  readonly servers?: readonly string[] | undefined;
  /** How long a server may take to start, in milliseconds. Default: 60 s. */
  readonly connectTimeout?: Duration | undefined;
  /** Ends the run. */
  readonly signal?: AbortSignal | undefined;
  /** How to run one case alone. */
  readonly repeat?: ((result: Omit<CaseResult, 'repeat'>) => string) | undefined;
  /** Called when a test begins. */
  readonly onStart?: ((name: string) => void) | undefined;
  /** Called with the result of each test. */
  readonly onResult?: ((result: CaseResult) => void) | undefined;
}

const DEFAULT_CONNECT_MS = 60_000;

/** Runs a suite, and resolves with the results of its tests. */
export async function runSuite(defined: Suite, options: RunSuiteOptions = {}): Promise<SuiteResult> {
  const suite: Suite = {
    ...defined,
    settings: { ...defined.settings, ...given(options.settings ?? {}) },
  };
  const { settings } = suite;
  const startedAt = new Date();
  const selection: Selection = {
    filter: settings.filter,
    skip: settings.skip,
    tags: settings.tags,
    names: options.names ?? [],
  };
  const servers = chosenServers(suite, options);
  const results: CaseResult[] = [];
  const unreachable: string[] = [];
  const signal = options.signal ?? new AbortController().signal;
  const isExclusive = suite.cases.some(({ only }) => only);
  for (const server of servers) {
    for (const cell of cellsOf(suite, server, options)) {
      if (signal.aborted) break;
      const isReached = await runCell(cell, {
        selection,
        isExclusive,
        connectTimeout: milliseconds(options.connectTimeout ?? DEFAULT_CONNECT_MS),
        signal,
        started: (name) => options.onStart?.(name),
        ended: (result) => {
          const repeat = result.status === 'fail' ? options.repeat?.(result) : undefined;
          const whole = withAliases(repeat === undefined ? result : { ...result, repeat });
          results.push(whole);
          options.onResult?.(whole);
        },
      });
      if (!isReached) unreachable.push(server.name);
    }
  }
  const duration = Math.round(Date.now() - startedAt.getTime());
  const head = {
    name: suite.name,
    file: suite.file,
    startedAt: startedAt.toISOString(),
    duration,
    unreachable,
  };
  return summarise(head, results);
}

function chosenServers(suite: Suite, { servers }: RunSuiteOptions): readonly ServerDefinition[] {
  if (suite.servers.length === 0)
    throw new SuiteError(
      'No server: add "server" to the file, or give one on the command line (a URL, or a command after --)',
    );
  const chosen =
    servers === undefined || servers.length === 0
      ? suite.servers
      : suite.servers.filter(({ name }) => servers.includes(name));
  if (chosen.length === 0)
    throw new SuiteError(`No such server; the file has: ${suite.servers.map(({ name }) => name).join(', ')}`);
  return chosen;
}

function* cellsOf(suite: Suite, server: ServerDefinition, options: RunSuiteOptions): Generator<Cell> {
  const { revisions, transports, allRevisions } = suite.settings;
  const reach = concrete(server, options);
  const overTransports: readonly (TestedTransport | undefined)[] =
    transports.length === 0 ? [undefined] : transports;
  const overRevisions: readonly (string | undefined)[] = revisions.length === 0 ? [undefined] : revisions;
  for (const transport of overTransports) {
    for (const revision of overRevisions)
      yield { suite, server: server.name, reach, transport, revision, isOptional: allRevisions };
  }
}

function concrete({ reach, name }: ServerDefinition, { resolveName }: RunSuiteOptions): ConcreteReach {
  if (reach.kind !== 'name') return reach;
  if (resolveName === undefined)
    throw new SuiteError(`The server "${name}" is "${reach.name}", which is neither a URL nor a command`);
  return resolveName(reach.name);
}
