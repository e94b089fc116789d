/** Questions and answers between the bench and the processes it starts, over Node's own channel. */

/** @typedef {{ id: number, op: string, data: unknown }} Question */
/** @typedef {{ id: number, answer?: unknown, error?: string }} Answer */

/**
 * Answers questions in a started process, which ends with its channel: whoever started it is gone then.
 *
 * @param {Record<string, (data: never) => unknown>} handlers
 */
export function answerQuestions(handlers) {
  process.on('message', async (/** @type {Question} */ { id, op, data }) => {
    try {
      const handler = handlers[op];
      if (handler === undefined) throw new Error(`No question ${op}`);
      process.send?.({ id, answer: await handler(/** @type {never} */ (data)) });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  process.on('disconnect', () => process.exit());
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {() => string} describe  what to add to a failure
 */
export function createAsker(child, describe) {
  /** @type {Map<number, { resolve: (answer: unknown) => void, reject: (error: Error) => void }>} */
  const pending = new Map();
  let last = 0;
  child.on('message', (/** @type {Answer} */ { id, answer, error }) => {
    const waiting = pending.get(id);
    pending.delete(id);
    if (error === undefined) waiting?.resolve(answer);
    else waiting?.reject(new Error(`${describe()}: ${error}`));
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of pending.values())
      reject(new Error(`${describe()}: ended with ${signal ?? code}`));
    pending.clear();
  });
  /**
   * @template T
   * @param {string} op
   * @param {unknown} [data]
   * @param {number} [timeoutMs]
   * @returns {Promise<T>}
   */
  return function ask(op, data, timeoutMs = 60_000) {
    return new Promise((resolve, reject) => {
      last += 1;
      const id = last;
      const timer = setTimeout(() => {
        pending.delete(id);
        reject(new Error(`${describe()}: no answer to ${op} within ${timeoutMs} ms`));
      }, timeoutMs);
      const settle = (/** @type {() => void} */ done) => {
        clearTimeout(timer);
        done();
      };
      pending.set(id, {
        resolve: (answer) => settle(() => resolve(/** @type {T} */ (answer))),
        reject: (error) => settle(() => reject(error)),
      });
      if (!child.connected) pending.get(id)?.reject(new Error(`${describe()}: has ended`));
      else child.send({ id, op, data });
    });
  };
}
