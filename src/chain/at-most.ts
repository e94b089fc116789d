/** Works through a list with a bounded number of items under way, and ends with the first that fails. */
export async function atMost<T>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = items.values();
  let isOver = false;
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      if (isOver) return;
      try {
        await work(item);
      } catch (error) {
        isOver = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(limit, items.length) }, worker);
  const outcomes = await Promise.allSettled(workers);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
