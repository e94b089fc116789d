/** A question that waits for its answer until the signal withdraws it. The listener ends with the first outcome. */
export interface AbortableQuestion<T> {
  readonly answer: Promise<T>;
  resolve(answer: T): void;
  reject(error: unknown): void;
}

/**
 * @param ended runs once, whatever the outcome
 * @param withdrawn runs when the signal aborts first; returns what the answer is rejected with
 */
export function abortableQuestion<T>(
  signal: AbortSignal,
  ended: () => void = () => undefined,
  withdrawn: () => unknown = () => signal.reason,
): AbortableQuestion<T> {
  let settle: (outcome: () => void) => void = () => undefined;
  let resolveAnswer: (answer: T) => void = () => undefined;
  let rejectAnswer: (error: unknown) => void = () => undefined;
  const answer = new Promise<T>((resolve, reject) => {
    resolveAnswer = resolve;
    rejectAnswer = reject;
  });
  const abort = (): void => {
    const reason = withdrawn();
    settle(() => rejectAnswer(reason));
  };
  settle = (outcome) => {
    settle = () => undefined;
    signal.removeEventListener('abort', abort);
    ended();
    outcome();
  };
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return {
    answer,
    resolve: (value) => settle(() => resolveAnswer(value)),
    reject: (error) => settle(() => rejectAnswer(error)),
  };
}
