/** Runs suites: round by round, case by case, every contender in a fresh process each time. */

/** @typedef {import('./suite.mjs').Suite} Suite */
/** @typedef {import('./suite.mjs').Settings} Settings */
/** @typedef {{ suite: string, case: string, contender: string, message: string }} Failure */

/**
 * @param {Suite} suite
 * @param {Settings} settings
 * @param {(contender: string) => boolean} isWanted
 * @param {(line: string) => void} tell
 */
export async function measureSuite(suite, settings, isWanted, tell) {
  /** @type {import('./results.mjs').Measured[string]} */
  const measured = {};
  /** @type {Failure[]} */
  const failures = [];
  const cases = suite.cases(settings);
  for (let round = 0; round < settings.rounds; round += 1) {
    for (const one of cases) {
      if (round >= (one.rounds ?? settings.rounds)) continue;
      for (const contender of one.contenders.filter(isWanted)) {
        const started = performance.now();
        const values = await attempt(suite, contender, one, settings, failures);
        record(measured, one.id, contender, round, values);
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        tell(`${suite.id} ${one.id} ${contender} ${round + 1}/${settings.rounds} ${seconds} s`);
      }
    }
  }
  return { measured, failures };
}

/**
 * @param {Suite} suite
 * @param {string} contender
 * @param {import('./suite.mjs').Case} one
 * @param {Settings} settings
 * @param {Failure[]} failures
 */
async function attempt(suite, contender, one, settings, failures) {
  try {
    return await suite.measure(contender, one, settings);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    failures.push({ suite: suite.id, case: one.id, contender, message });
    return {};
  }
}

/**
 * @param {import('./results.mjs').Measured[string]} measured
 * @param {string} one
 * @param {string} contender
 * @param {number} round
 * @param {import('./suite.mjs').Values} values
 */
function record(measured, one, contender, round, values) {
  measured[one] ??= {};
  const cases = measured[one];
  cases[contender] ??= {};
  const series = cases[contender];
  for (const [metric, value] of Object.entries(values)) {
    series[metric] ??= [];
    // A round that failed leaves a gap, so that the others still meet their neighbours.
    series[metric][round] = value;
  }
}
