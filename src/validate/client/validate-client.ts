/** Walks a client through the scenarios. */

import { REVISIONS, type Revision } from '../../protocol/index.js';
import { Outcomes } from '../outcomes.js';
import { binds, REQUIREMENTS, requirement } from '../requirements/index.js';
import type { RevisionRun } from '../runner.js';
import type { Validation } from '../validate.js';
import type { Entry } from '../wire/recorder.js';
import { isModern } from './actor.js';
import { Judge, judgePassively } from './judge.js';
import { CLIENT_REQUIREMENTS, SCENARIOS } from './requirements.js';
import type { Scenario } from './scenario.js';
import { type Heard, Stage } from './stage.js';

export interface ClientUnderTest {
  readonly label: string;
  /** Connects to the URL, does what the client does, and resolves when it is done. */
  run(url: string, signal: AbortSignal): Promise<void>;
}

export interface ClientOptions {
  /** How long one scenario may take. */
  readonly scenarioMs?: number;
  readonly only?: readonly string[];
  readonly port?: number;
  readonly onScenario?: (scenario: Scenario, url: string) => void;
}

const SCENARIO_MS = 8_000;

export async function validateClient(
  client: ClientUnderTest,
  options: ClientOptions = {},
): Promise<Validation> {
  const started = performance.now();
  const outcomes = new Map<Revision, { outcomes: Outcomes; entries: Entry[]; elapsedMs: number }>();
  const chosen = SCENARIOS.filter(({ name }) => options.only === undefined || options.only.includes(name));
  for (const scenario of chosen) {
    const revision = REVISIONS[scenario.revision - 1];
    if (revision === undefined) continue;
    const judged = REVISIONS[(scenario.as ?? scenario.revision) - 1] ?? revision;
    const run = outcomes.get(judged) ?? {
      outcomes: new Outcomes(judged.version, 'http'),
      entries: [],
      elapsedMs: 0,
    };
    outcomes.set(judged, run);
    const begun = performance.now();
    const stage = await perform(scenario, revision, client, options);
    judgeScenario(scenario, stage, judged, run.outcomes);
    run.entries.push(...stage.heard.map((heard, index) => entryOf(heard, index)));
    run.elapsedMs += performance.now() - begun;
  }
  const runs = REVISIONS.filter((revision) => outcomes.has(revision)).map((revision) =>
    runOf(revision, outcomes.get(revision)),
  );
  const shown = runs.filter(({ outcomes: all }) => all.some(({ verdict }) => verdict !== 'skip'));
  const spoken = shown.map(({ revision }) => revision);
  return {
    target: { kind: 'http', label: client.label, url: new URL('http://127.0.0.1/'), headers: {} },
    spoken,
    runs: shown,
    elapsedMs: performance.now() - started,
  };
}

async function perform(
  scenario: Scenario,
  revision: Revision,
  client: ClientUnderTest,
  options: ClientOptions,
): Promise<Stage> {
  const stage = new Stage(revision, scenario.behaviour());
  const url = await stage.open(options.port);
  options.onScenario?.(scenario, url);
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), options.scenarioMs ?? SCENARIO_MS);
  try {
    // A client that gives up is judged by what it sent before.
    await client.run(url, controller.signal).catch(() => undefined);
  } finally {
    clearTimeout(timer);
    await stage.close();
  }
  return stage;
}

function judgeScenario(scenario: Scenario, stage: Stage, revision: Revision, outcomes: Outcomes): void {
  const bound = REQUIREMENTS.filter(
    (candidate) => binds(candidate, 'client') && candidate.revisions.includes(revision),
  );
  const judge = new Judge(outcomes, new Set(bound.map(({ id }) => id)));
  // The old transport posts elsewhere, and rules of one revision do not fit the messages of another.
  if (stage.revision.http.transport === 'streamable' && scenario.as === undefined)
    judgePassively(stage, judge);
  if (speaksEra(stage)) scenario.judge(stage, judge);
}

/** A client that does not speak the era of the stage has shown nothing about it. */
function speaksEra(stage: Stage): boolean {
  return stage.revision.lifecycle === 'handshake' || stage.heard.some(isModern);
}

function runOf(
  revision: Revision,
  run: { outcomes: Outcomes; entries: readonly Entry[]; elapsedMs: number } | undefined,
): RevisionRun {
  const ids = REQUIREMENTS.filter(
    (candidate) =>
      binds(candidate, 'client') &&
      candidate.revisions.includes(revision) &&
      CLIENT_REQUIREMENTS.has(candidate.id),
  );
  return {
    revision,
    outcomes: run === undefined ? [] : ids.map(({ id }) => run.outcomes.outcome(requirement(id).id)),
    entries: run?.entries ?? [],
    greeting: {},
    capabilities: {},
    tools: [],
    resources: [],
    templates: [],
    prompts: [],
    elapsedMs: run?.elapsedMs ?? 0,
  };
}

function entryOf({ at, method, path, text, value }: Heard, index: number): Entry {
  return {
    at,
    connection: index + 1,
    direction: 'received',
    kind: 'message',
    text: `${method} ${path}\n${text}`,
    value,
  };
}
