/** One server over one transport in one revision: connects, runs the cases, disconnects. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../client/client.js';
import { connect } from '../../client/connect.js';
import { ConnectionClosedError } from '../../client/errors.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { McpError, ProtocolError } from '../../protocol/errors.js';
import type { CaseDefinition, Suite, TestedTransport } from '../suite/definition.js';
import { ScriptedResponder } from './answer-script.js';
import { existenceCases, type NamedCase } from './existence.js';
import { lockCase } from './lock-case.js';
import { runProtocol } from './protocol-cases.js';
import { type ConcreteReach, type Reached, reach } from './reach.js';
import type { CaseResult } from './result.js';
import { type CaseContext, type CaseVerdict, runCase } from './run-case.js';
import { type Selection, skipReason } from './select.js';
import { readCatalogue, type ServerCatalogue } from './server-catalogue.js';
import { CapturedValues, refersTo } from './values.js';
import { WireLog } from './wire-log.js';

export interface Cell {
  readonly suite: Suite;
  readonly server: string;
  readonly reach: ConcreteReach;
  readonly transport: TestedTransport | undefined;
  /** Undefined: what client and server agree on. */
  readonly revision: string | undefined;
  /** A server that does not support the revision is left out rather than failed. */
  readonly isOptional: boolean;
}

export interface CellEvents {
  readonly selection: Selection;
  readonly isExclusive: boolean;
  readonly connectTimeout: number;
  readonly signal: AbortSignal;
  started(name: string): void;
  ended(result: Omit<CaseResult, 'repeat'>): void;
}

const NO_DETAILS = { failures: [], warnings: [], snapshots: [], attempts: 1, duration: 0 };
/** Messages that a server sends after an answer belong to the same case. */
const LATE_MS = 20;

/** Whether the server could be reached. */
export async function runCell(cell: Cell, events: CellEvents): Promise<boolean> {
  let reached: Reached | undefined;
  let client: Client | undefined;
  const started = performance.now();
  const place = { server: cell.server, transport: cell.transport ?? '', revision: cell.revision ?? '' };
  const report = (named: NamedCase, verdict: CaseVerdict, tags: readonly string[] = []): void =>
    events.ended({ ...place, ...named, tags, ...verdict });
  const connection: NamedCase = { name: 'Server connection', type: 'connection' };
  try {
    events.started(connection.name);
    reached = await reach(cell.reach, cell.transport, events.connectTimeout);
    place.transport = reached.transport;
    const log = new WireLog(reached.secrets);
    const session = new CellSession(cell, events, reached, log);
    client = await session.connect();
    place.revision = client.revision;
    const duration = Math.round(performance.now() - started);
    const pinged = await ping(client, cell.suite.settings.timeout);
    report(connection, {
      ...NO_DETAILS,
      status: pinged === undefined ? 'pass' : 'fail',
      message: pinged ?? '',
      duration,
    });
    await session.runAll(client, report);
    return true;
  } catch (error) {
    const unsupported = error instanceof McpError && error.code === 'no_common_revision';
    const message = messageOf(error);
    const skipped = cell.isOptional && unsupported;
    report(connection, {
      ...NO_DETAILS,
      status: skipped ? 'skip' : 'fail',
      message: skipped ? `the server does not support ${cell.revision}` : message,
      duration: Math.round(performance.now() - started),
      failures: skipped ? [] : [connectionFailure(message, error)],
    });
    return skipped || client !== undefined;
  } finally {
    await client?.close();
    await reached?.close();
  }
}

function connectionFailure(message: string, error: unknown): CaseResult['failures'][number] {
  const stderr = error instanceof ConnectionClosedError ? error.stderr : undefined;
  return {
    step: 'connect',
    problems: [{ message }],
    sent: [],
    received: [],
    ...(stderr === undefined || stderr === '' ? {} : { stderr }),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error is an answer too: servers of some revisions have no ping. */
async function ping(client: Client, timeout: number): Promise<string | undefined> {
  try {
    await client.ping({ timeout });
    return undefined;
  } catch (error) {
    return error instanceof ProtocolError ? undefined : `the server does not answer: ${messageOf(error)}`;
  }
}

type Report = (named: NamedCase, verdict: CaseVerdict, tags?: readonly string[]) => void;

class CellSession {
  readonly #cell: Cell;
  readonly #events: CellEvents;
  readonly #reached: Reached;
  readonly #log: WireLog;
  readonly #responder: ScriptedResponder;
  readonly #logs: JsonObject[] = [];
  #faults: string[] = [];

  constructor(cell: Cell, events: CellEvents, reached: Reached, log: WireLog) {
    this.#cell = cell;
    this.#events = events;
    this.#reached = reached;
    this.#log = log;
    this.#responder = new ScriptedResponder(cell.suite.settings.answers);
  }

  connect(): Promise<Client> {
    const { suite, revision } = this.#cell;
    const wantsLogs = suite.cases.some(({ steps }) => steps.some(({ logs }) => logs !== undefined));
    return connect(this.#log.watch(this.#reached.target), {
      name: 'plumb-test',
      title: 'Plumb test runner',
      initTimeout: this.#events.connectTimeout,
      timeout: suite.settings.timeout,
      maxTimeout: Math.max(suite.settings.timeout, 300_000),
      signal: this.#events.signal,
      cache: false,
      whenNotReady: 'wait',
      recover: { initialDelay: 50, maxRetries: 3, maxReplays: 0 },
      ...(revision === undefined ? {} : { revisions: [revision] }),
      ...this.#responder.handlers(),
      ...(wantsLogs ? { logLevel: 'debug' as const } : {}),
      onLog: (message) => void this.#logs.push({ ...message }),
      onFault: (fault) => {
        if (fault.kind !== 'handler' && this.#faults.length < 100) this.#faults.push(fault.message);
      },
    });
  }

  async runAll(client: Client, report: Report): Promise<void> {
    const { suite } = this.#cell;
    const catalogue = await this.#discover(client, report);
    if (catalogue === undefined) return;
    const cases = suite.cases.filter(
      ({ servers }) => servers.length === 0 || servers.includes(this.#cell.server),
    );
    const running = cases.filter((each) => this.#skipped(each, client) === undefined);
    for (const { verdict, ...named } of existenceCases(running, catalogue)) {
      this.#events.started(named.name);
      report(named, { ...NO_DETAILS, ...verdict });
    }
    if (suite.settings.lock !== undefined) {
      const verdict = await lockCase(suite.settings.lock, client);
      report({ name: 'Lock', type: 'capability' }, { ...NO_DETAILS, ...verdict });
    }
    await this.#runCases(cases, client, catalogue, report);
    if (suite.protocol !== undefined) await this.#runProtocol(client.revision, report);
  }

  async #discover(client: Client, report: Report): Promise<ServerCatalogue | undefined> {
    const named: NamedCase = { name: 'Capability discovery', type: 'capability' };
    const started = performance.now();
    const owner = {};
    this.#log.sole = owner;
    try {
      const { timeout } = this.#cell.suite.settings;
      const found = await readCatalogue(client, { timeout, signal: this.#events.signal });
      const message = `${found.tools.length} tools, ${found.resources.length} resources, ${found.templates.length} templates, ${found.prompts.length} prompts`;
      const faults = this.#cell.suite.settings.strict ? this.#faults.splice(0) : [];
      report(named, {
        ...NO_DETAILS,
        status: faults.length > 0 ? 'fail' : 'pass',
        message: faults[0] ?? message,
        failures: faults.length > 0 ? [this.#discoveryFailure(faults, owner)] : [],
        duration: Math.round(performance.now() - started),
      });
      return found;
    } catch (error) {
      report(named, {
        ...NO_DETAILS,
        status: 'fail',
        message: messageOf(error),
        failures: [this.#discoveryFailure([messageOf(error)], owner)],
      });
      return undefined;
    } finally {
      this.#log.sole = undefined;
    }
  }

  #discoveryFailure(messages: readonly string[], owner: object): CaseResult['failures'][number] {
    return { step: 'lists', problems: messages.map((message) => ({ message })), ...this.#log.excerpt(owner) };
  }

  #skipped(definition: CaseDefinition, client: Client): string | undefined {
    const { selection, isExclusive } = this.#events;
    const reason = skipReason(definition, selection, isExclusive);
    if (reason !== undefined) return reason;
    if (definition.revisions.length > 0 && !definition.revisions.includes(client.revision))
      return `is for ${definition.revisions.join(', ')}`;
    return undefined;
  }

  async #runCases(
    cases: readonly CaseDefinition[],
    client: Client,
    catalogue: ServerCatalogue,
    report: Report,
  ): Promise<void> {
    const { suite } = this.#cell;
    const { settings } = suite;
    const captured = new Set(
      cases.flatMap(({ steps }) => steps.flatMap(({ capture }) => [...capture.keys()])),
    );
    const context: CaseContext = {
      client,
      catalogue,
      responder: this.#responder,
      values: new CapturedValues(suite.values, captured),
      snapshots: { directory: settings.snapshotDirectory, update: settings.updateSnapshots },
      serverLabel: labelOf(this.#cell.reach),
      logs: this.#logs,
      settings,
      log: this.#log,
      signal: this.#events.signal,
      takeFaults: () => this.#faults.splice(0),
    };
    let bailed = false;
    const run = async (definition: CaseDefinition): Promise<void> => {
      const named: NamedCase = { name: definition.name, type: definition.type };
      const reason =
        this.#skipped(definition, client) ??
        (bailed ? 'an earlier case failed' : this.#events.signal.aborted ? 'interrupted' : undefined);
      if (reason !== undefined) {
        report(named, { ...NO_DETAILS, status: 'skip', message: reason }, definition.tags);
        return;
      }
      this.#events.started(definition.name);
      const verdict = await runCase(definition, context);
      report(named, verdict, definition.tags);
      if (verdict.status === 'fail' && settings.bail) bailed = true;
    };
    const isAlone = (each: CaseDefinition): boolean =>
      settings.concurrency === 1 || settings.answers !== undefined || needsOrder(each, captured);
    for (const each of cases.filter(isAlone)) {
      await run(each);
      if (settings.strict) await delay(LATE_MS);
    }
    await inPool(
      cases.filter((each) => !isAlone(each)),
      settings.concurrency,
      run,
    );
  }

  async #runProtocol(revision: string, report: Report): Promise<void> {
    const { suite } = this.#cell;
    const { selection, signal } = this.#events;
    if (suite.protocol === undefined) return;
    const wanted = selection.names.filter((name) => name.startsWith('protocol '));
    if (selection.names.length > 0 && wanted.length === 0) return;
    const only = wanted.map((name) => name.slice('protocol '.length, 'protocol '.length + 3));
    this.#events.started('protocol');
    const definition = only.length > 0 ? { ...suite.protocol, only } : suite.protocol;
    const { timeout } = suite.settings;
    for (const { name, verdict } of await runProtocol(definition, {
      target: this.#reached.probe,
      revision,
      timeout,
      signal,
    })) {
      report({ name, type: 'protocol' }, verdict);
    }
  }
}

/** Cases that share something with others: captured values, or the one script of answers. */
function needsOrder({ steps }: CaseDefinition, captured: ReadonlySet<string>): boolean {
  return steps.some(
    ({ answers, asked, logs, capture, args, subject }) =>
      answers !== undefined ||
      asked !== undefined ||
      logs !== undefined ||
      capture.size > 0 ||
      refersTo([args, subject], captured),
  );
}

function labelOf(server: ConcreteReach): string {
  if (server.kind === 'command') return [server.command, ...server.args].join(' ');
  return server.kind === 'url' ? server.url : 'a server of this process';
}

async function inPool<T>(items: readonly T[], size: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: Math.min(size, items.length) }, worker));
}
