/** Walks a client through the scenarios. */

import { type Duration, milliseconds } from '../../protocol/duration.js';
import { assertOptionNames, type OptionNames } from '../../protocol/option-names.js';
import { REVISIONS } from '../../protocol/revisions/index.js';
import type { Revision } from '../../protocol/revisions/revision.js';
import { Outcomes } from '../outcomes.js';
import { binds, REQUIREMENTS, requirement } from '../requirements/index.js';
import type { RevisionRun, ValidateOptions } from '../runner.js';
import type { Validation } from '../validate.js';
import type { RecordedEntry } from '../wire/recorder.js';
import { isModern, methodOf } from './actor.js';
import { type ClientCommand, commandClient } from './command.js';
import { HttpStage } from './http-stage.js';
import { ClientJudge, judgePassively } from './judge.js';
import { CLIENT_REQUIREMENTS, SCENARIOS } from './requirements.js';
import { habitsOf, REHEARSAL, type Scenario } from './scenario.js';
import type { Habit, Stage, StageKind, StageRequest } from './stage.js';
import { StdioStage } from './stdio-stage.js';

export interface ClientUnderTest {
  readonly label: string;
  /** How it reaches the server. Default: over HTTP. */
  readonly transport?: StageKind | undefined;
  /**
   * Connects, does what the client does, and resolves when it is done. The address is a URL, or over stdio the path of
   * a program that Node runs and that is the server.
   */
  run(address: string, signal: AbortSignal): Promise<void>;
}

export interface ValidateClientOptions
  extends Pick<ValidateOptions, 'onProgress' | 'onFinding' | 'onExchange' | 'signal'> {
  /** How long one scenario may take. Default: 8 s. */
  readonly timeout?: Duration | undefined;
  /** Only these scenarios, by name. */
  readonly only?: readonly string[] | undefined;
  /** Only these requirements. */
  readonly ids?: readonly string[] | undefined;
  /** Only scenarios that judge one of these revisions. */
  readonly revisions?: readonly Revision[] | undefined;
  /** The port that the client is given. Default: a free one. */
  readonly port?: number | undefined;
  /** A scenario is over when the client has said something and then nothing for so long; else only when it ends. */
  readonly quiet?: Duration | undefined;
  /** Called before each scenario. */
  readonly onScenario?: ((scenario: Scenario, address: string) => void) | undefined;
}

const OPTIONS: OptionNames<ValidateClientOptions> = {
  timeout: true,
  only: true,
  ids: true,
  revisions: true,
  port: true,
  quiet: true,
  onScenario: true,
  onProgress: true,
  onFinding: true,
  onExchange: true,
  signal: true,
};

const SCENARIO_MS = 8_000;
const WATCH_MS = 100;

interface Part {
  readonly outcomes: Outcomes;
  readonly entries: RecordedEntry[];
  elapsedMs: number;
}

/** Judges a client by what it sends in every scenario that fits its transport. */
export async function validateClient(
  given: ClientUnderTest | ClientCommand,
  options: ValidateClientOptions = {},
): Promise<Validation> {
  assertOptionNames('validateClient', options, OPTIONS);
  const started = performance.now();
  const client = 'command' in given ? commandClient(given) : given;
  const { transport = 'http' } = client;
  const parts = new Map<Revision, Part>();
  const chosen = SCENARIOS.filter((scenario) => {
    const { name, over = ['http'] } = scenario;
    const judged = REVISIONS[(scenario.as ?? scenario.revision) - 1];
    const wanted =
      options.revisions === undefined || (judged !== undefined && options.revisions.includes(judged));
    const named = options.only === undefined || options.only.includes(name);
    return over.includes(transport) && wanted && named;
  });
  const habits = new Map<Revision['lifecycle'], readonly Habit[]>();
  for (const [done, scenario] of chosen.entries()) {
    options.signal?.throwIfAborted();
    const revision = REVISIONS[scenario.revision - 1];
    if (revision === undefined) continue;
    const judged = REVISIONS[(scenario.as ?? scenario.revision) - 1] ?? revision;
    const part = parts.get(judged) ?? {
      outcomes: new Outcomes(judged.version, transport, options.onFinding),
      entries: [],
      elapsedMs: 0,
    };
    parts.set(judged, part);
    const { name: title } = scenario;
    options.onProgress?.({ revision: judged.version, done, total: chosen.length, title, run: 1, runs: 1 });
    const begun = performance.now();
    const stage = await perform(scenario, revision, client, options, habits.get(revision.lifecycle));
    if (scenario.name.startsWith(REHEARSAL)) habits.set(revision.lifecycle, habitsOf(stage));
    judgeScenario(scenario, stage, judged, part.outcomes, options.ids);
    for (const [index, heard] of stage.heard.entries()) {
      const entry = entryOf(heard, index);
      part.entries.push(entry);
      options.onExchange?.({ revision: judged.version, entry });
    }
    part.elapsedMs += performance.now() - begun;
  }
  const runs = REVISIONS.flatMap((revision) => {
    const part = parts.get(revision);
    return part === undefined ? [] : [runOf(revision, part)];
  }).filter(({ outcomes }) => outcomes.some(({ verdict }) => verdict !== 'skip'));
  return {
    subject: 'client',
    target: { kind: transport, label: client.label },
    spoken: runs.map(({ revision }) => revision),
    runs,
    elapsedMs: performance.now() - started,
  };
}

async function perform(
  scenario: Scenario,
  revision: Revision,
  client: ClientUnderTest,
  options: ValidateClientOptions,
  habits: readonly Habit[] | undefined,
): Promise<Stage> {
  const stage =
    client.transport === 'stdio'
      ? new StdioStage(revision, scenario.behaviour(), scenario.stubborn === true)
      : new HttpStage(revision, scenario.behaviour());
  stage.habits = habits;
  const address = await stage.open(options.port);
  options.onScenario?.(scenario, address);
  const controller = new AbortController();
  const stop = (): void => {
    stage.stoppedAt = stage.now();
    controller.abort();
  };
  const timer = setTimeout(stop, milliseconds(options.timeout ?? SCENARIO_MS));
  options.signal?.addEventListener('abort', stop, { once: true });
  const quietMs = milliseconds(options.quiet ?? Number.POSITIVE_INFINITY);
  const watch = setInterval(() => {
    const last = stage.heard.at(-1)?.at ?? Number.POSITIVE_INFINITY;
    if (stage.now() - last > quietMs) stop();
  }, WATCH_MS);
  try {
    // A client that gives up is judged by what it sent before.
    await client.run(address, controller.signal).catch(() => undefined);
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    options.signal?.removeEventListener('abort', stop);
    await stage.close();
  }
  return stage;
}

function judgeScenario(
  scenario: Scenario,
  stage: Stage,
  revision: Revision,
  outcomes: Outcomes,
  only: readonly string[] | undefined,
): void {
  const bound = REQUIREMENTS.filter(
    (candidate) =>
      binds(candidate, 'client') &&
      candidate.revisions.includes(revision) &&
      (only === undefined || only.includes(candidate.id)),
  );
  // A client that does not speak the era of the stage has shown nothing about it.
  if (!speaksEra(stage)) return;
  const judge = new ClientJudge(outcomes, new Set(bound.map(({ id }) => id)));
  // The old transport posts elsewhere, and rules of one revision do not fit the messages of another.
  const known = stage.kind === 'stdio' || stage.revision.http.transport === 'streamable';
  if (known && scenario.as === undefined) judgePassively(stage, judge);
  scenario.judge(stage, judge);
}

function speaksEra(stage: Stage): boolean {
  if (stage.revision.lifecycle === 'handshake' || stage.heard.some(isModern)) return true;
  // Neither a handshake nor an envelope: no era at all, which is what there is to report.
  const asks = stage.heard.filter(({ message }) => typeof message?.method === 'string' && 'id' in message);
  return asks.length > 0 && asks.every((heard) => methodOf(heard) !== 'initialize');
}

function runOf(revision: Revision, part: Part): RevisionRun {
  const ids = REQUIREMENTS.filter(
    (candidate) =>
      binds(candidate, 'client') &&
      candidate.revisions.includes(revision) &&
      CLIENT_REQUIREMENTS.has(candidate.id),
  );
  return {
    revision,
    outcomes: ids.map(({ id }) => part.outcomes.outcome(requirement(id).id)),
    entries: part.entries,
    greeting: {},
    capabilities: {},
    tools: [],
    resources: [],
    templates: [],
    prompts: [],
    elapsedMs: part.elapsedMs,
  };
}

function entryOf({ at, method, path, text, value, connection }: StageRequest, index: number): RecordedEntry {
  return {
    at,
    connection: connection ?? index + 1,
    direction: 'received',
    kind: 'message',
    text: connection === undefined ? `${method} ${path}\n${text}` : text,
    value,
  };
}
