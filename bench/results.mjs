/**
 * What was measured: for each suite, case and contender the values of each turn, in order. A ratio is that of the sums
 * over those turns that both took, one after the other. Where a machine changes its speed from turn to turn, that
 * wanders less than the median of the ratios of single turns: a third as much, over ten runs of one pair.
 *
 * Only the calmer half of the turns counts: those in which the host took no more of this machine's time (`stolen`) than
 * in most. That is known without looking at what was measured, and says nothing about who was measured.
 *
 * @typedef {Record<string, (number | null)[]>} Series
 * @typedef {Record<string, Record<string, Record<string, Series>>>} Measured  by suite, case and contender
 *
 * @typedef {object} Spread
 * @property {number} median
 * @property {number} min
 * @property {number} max
 *
 * @typedef {object} Verdict
 * @property {string} suite
 * @property {string} case
 * @property {string} title
 * @property {number | undefined} value
 * @property {'at least' | 'at most'} sense
 * @property {number} bound
 * @property {boolean} met
 * @property {number} [limit]  what the bare limit reached, where the target was out of reach
 * @property {number} [share]  of the limit's calls, where that alone puts the target out of reach
 */

/**
 * @param {readonly (number | null | undefined)[]} values
 * @returns {Spread | undefined}
 */
export function spread(values) {
  const sorted = values.filter((value) => typeof value === 'number' && Number.isFinite(value)).map(Number);
  sorted.sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  const [min] = sorted;
  const max = sorted.at(-1);
  if (upper === undefined || min === undefined || max === undefined) return undefined;
  const lower = sorted.length % 2 === 0 ? (sorted[middle - 1] ?? upper) : upper;
  return { median: (lower + upper) / 2, min, max };
}

/**
 * @param {Measured} measured
 * @param {{ suite: string, case: string, contender: string, metric: string }} of
 * @param {{ case?: string, contender?: string }} [against]
 * @returns {number | undefined}
 */
export function ratio(measured, of, against = {}) {
  const cases = measured[of.suite];
  const ours = cases?.[of.case]?.[of.contender] ?? {};
  const theirs = cases?.[against.case ?? of.case]?.[rivalOf(against)] ?? {};
  const isCalm = calmTurns(ours, theirs);
  let [our, their] = [0, 0];
  for (const [turn, value] of (ours[of.metric] ?? []).entries()) {
    const other = theirs[of.metric]?.[turn];
    if (typeof value !== 'number' || typeof other !== 'number' || !isCalm(turn)) continue;
    our += value;
    their += other;
  }
  return their === 0 ? undefined : our / their;
}

/**
 * Whom Plumb is compared with: with itself in another case, with the limit in the same one, unless somebody is named.
 *
 * @param {{ case?: string, contender?: string } | undefined} against
 */
function rivalOf(against) {
  if (against === undefined) return 'plumb';
  return against.contender ?? (against.case === undefined ? 'limit' : 'plumb');
}

/**
 * @param {Measured} measured
 * @param {{ suite: string, case: string, contender: string, metric: string }} of
 */
export function value(measured, { suite, case: one, contender, metric }) {
  const series = measured[suite]?.[one]?.[contender] ?? {};
  const isCalm = calmTurns(series);
  return spread((series[metric] ?? []).filter((_, turn) => isCalm(turn)));
}

/**
 * @param {Series[]} all  whose turns came one after the other
 * @returns {(turn: number) => boolean}
 */
function calmTurns(...all) {
  const turns = Math.max(...all.map(({ stolen = [] }) => stolen.length));
  // A turn that somebody did not take is not a number, and in no half.
  const taken = Array.from({ length: turns }, (_, turn) =>
    all.reduce((sum, { stolen }) => sum + (stolen?.[turn] ?? Number.NaN), 0),
  );
  const most = spread(taken)?.median;
  return (turn) => most === undefined || (taken[turn] ?? Number.NaN) <= most;
}

/**
 * What the host took while it was measured, as a share of the machine's time.
 *
 * @param {Measured} measured
 */
export function stolenShare(measured) {
  const series = Object.values(measured).flatMap((cases) => Object.values(cases).flatMap(Object.values));
  return spread(series.flatMap(({ stolen = [] }) => stolen));
}

/**
 * @param {Measured} measured
 * @param {string} suite
 * @param {import('./suite.mjs').Case} one
 * @param {(contender: string) => boolean} [isWanted]  targets of others, or against others, were not measured
 * @returns {Verdict[]}
 */
export function judge(measured, suite, one, isWanted = () => true) {
  const targets = (one.targets ?? []).filter(
    ({ against }) => isWanted('plumb') && isWanted(rivalOf(against)),
  );
  return targets.map(({ metric, title, atLeast, atMost, against }) => {
    const of = { suite, case: one.id, contender: 'plumb', metric };
    const reached = against === undefined ? value(measured, of)?.median : ratio(measured, of, against);
    const bound = atLeast ?? atMost ?? 0;
    const isEnough = (/** @type {number | undefined} */ found) =>
      found !== undefined && (atLeast === undefined ? found <= bound : found >= bound);
    /** @type {Verdict['sense']} */
    const sense = atLeast === undefined ? 'at most' : 'at least';
    const verdict = { suite, case: one.id, title: `${one.title}: ${title}`, value: reached, sense, bound };
    const met = isEnough(reached);
    if (met || against !== undefined) return { ...verdict, met };
    // A number of seconds, unlike a ratio, may be more than this machine has to give: to the limit, or to whoever makes
    // just that share of the limit's calls which is asked for. As many at a time then take as much longer.
    const limit = value(measured, { ...of, contender: 'limit' })?.median;
    if (limit === undefined) return { ...verdict, met };
    if (!isEnough(limit)) return { ...verdict, met, limit };
    const share = shareWanted(one);
    return share === undefined || isEnough(limit / share)
      ? { ...verdict, met }
      : { ...verdict, met, limit, share };
  });
}

/** @param {import('./suite.mjs').Case} one */
function shareWanted({ targets = [] }) {
  return targets.find(({ against }) => against !== undefined && rivalOf(against) === 'limit')?.atLeast;
}
