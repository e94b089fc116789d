/** Durations of single calls, kept until they are summed up. */
export class Latencies {
  #values = new Float64Array(1 << 16);
  #count = 0;

  /** @param {number} milliseconds */
  add(milliseconds) {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count] = milliseconds;
    this.#count += 1;
  }

  get count() {
    return this.#count;
  }

  /** @returns {{ p50Ms: number, p99Ms: number }} */
  summary() {
    const sorted = this.#values.subarray(0, this.#count).sort();
    const at = (/** @type {number} */ share) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
    return { p50Ms: at(0.5), p99Ms: at(0.99) };
  }
}

/** What a stretch of load came to. @typedef {{ calls: number, perSecond: number, p50Ms: number, p99Ms: number, loadCpuUs: number, wallMs: number }} LoadResult */

/**
 * @param {Latencies} latencies
 * @param {number} wallMs
 * @param {NodeJS.CpuUsage} before
 * @returns {LoadResult}
 */
export function sumUp(latencies, wallMs, before) {
  const { user, system } = process.cpuUsage(before);
  const calls = latencies.count;
  return {
    calls,
    perSecond: (calls / wallMs) * 1000,
    ...latencies.summary(),
    loadCpuUs: user + system,
    wallMs,
  };
}
