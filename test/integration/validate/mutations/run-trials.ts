/** Runs every trial, several at a time. */

interface Outcome {
  readonly found: boolean;
}

/** The outcomes in the order of the mutations. */
export async function runTrials<M, T extends Outcome>(
  mutations: readonly M[],
  parallel: number,
  trial: (mutation: M) => Promise<T>,
): Promise<readonly T[]> {
  const trials: T[] = [];
  const queue = [...mutations.entries()];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      trials[next[0]] = await trial(next[1]);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return trials;
}
