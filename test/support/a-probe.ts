/** A probe of a server that nothing is known about, for tests of what checks and their runs do. */

import { REVISIONS } from '../../src/protocol/revisions/index.js';
import { catalogueOf } from '../../src/validate/catalogue.js';
import { Outcomes } from '../../src/validate/outcomes.js';
import { Probe } from '../../src/validate/probe.js';
import { ValidatorSession } from '../../src/validate/session/session.js';
import { SessionPool } from '../../src/validate/session/session-pool.js';
import { connect, type ValidationTarget } from '../../src/validate/target.js';
import { Recorder } from '../../src/validate/wire/recorder.js';

export async function aProbe(target: ValidationTarget, version = '2025-03-26'): Promise<Probe> {
  const revision = REVISIONS.find((candidate) => candidate.version === version);
  if (revision === undefined) throw new Error(`There is no revision ${version}`);
  const recorder = new Recorder();
  const connection = await connect(target, recorder, 5_000);
  const session = new ValidatorSession({ revision, connection, timeoutMs: 5_000 });
  return new Probe({
    target,
    revision,
    recorder,
    outcomes: new Outcomes(version, target.kind),
    settings: { timeoutMs: 5_000, quietMs: 50, patience: 1, callable: () => true },
    shared: { opened: { session, greeting: undefined, standalone: undefined } },
    catalogue: catalogueOf({}, new Map()),
    exercise: { calls: [], reads: [], gets: [] },
    effects: [],
    spoken: [revision],
    pool: new SessionPool(),
    once: new Map(),
  });
}
