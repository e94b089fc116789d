/** Every scenario, and the requirements that they judge. */

import { AUTHORIZATION_SCENARIOS } from './authorization-scenarios.js';
import { CALLING_SCENARIOS } from './calling-scenarios.js';
import { HANDSHAKE_SCENARIOS } from './handshake-scenarios.js';
import { PASSIVE_IDS } from './judge.js';
import { RESULT_SCENARIOS } from './result-scenarios.js';
import type { Scenario } from './scenario.js';
import { STATELESS_SCENARIOS } from './stateless-scenarios.js';
import { STDIO_SCENARIOS } from './stdio-scenarios.js';
import { TASK_SCENARIOS } from './task-scenarios.js';
import { TRANSPORT_SCENARIOS } from './transport-scenarios.js';

export const SCENARIOS: readonly Scenario[] = [
  ...HANDSHAKE_SCENARIOS,
  ...STATELESS_SCENARIOS,
  ...CALLING_SCENARIOS,
  ...RESULT_SCENARIOS,
  ...TASK_SCENARIOS,
  ...TRANSPORT_SCENARIOS,
  ...AUTHORIZATION_SCENARIOS,
  ...STDIO_SCENARIOS,
];

export const CLIENT_REQUIREMENTS: ReadonlySet<string> = new Set(
  [PASSIVE_IDS, ...SCENARIOS.map(({ ids }) => ids)].flatMap((ids) => (ids === '' ? [] : ids.split(' '))),
);
