/** Runs every trial, several at a time; what is missed then is tried again alone, as users run the validator. */

interface Outcome {
  readonly found: boolean;
}

/** The outcomes in the order of the mutations. */
export async function runTrials<M, T extends Outcome>(
  mutations: readonly M[],
  parallel: number,
  trial: (mutation: M, patient: boolean) => Promise<T>,
): Promise<readonly T[]> {
  const trials: T[] = [];
  const missed: [number, M][] = [];
  const queue = [...mutations.entries()];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, mutation] = next;
      // With short waits on a busy machine the server may not even be reached.
      const outcome = await trial(mutation, false).catch(() => undefined);
      if (outcome?.found === true) trials[index] = outcome;
      else missed.push(next);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  for (const [index, mutation] of missed) trials[index] = await trial(mutation, true);
  return trials;
}
