/** The time that a handler may take. */

import type { CallContext } from './context.js';
import { ToolError } from './tool-result.js';

/** Rejects, and aborts the signal of the handler, when the work takes longer; what it still does is ignored. */
export function withinTime(
  tool: string,
  work: PromiseLike<unknown>,
  milliseconds: number,
  ctx: CallContext,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const late = (): void => {
      // What the client took for its answers is not the handler's.
      const left = milliseconds - (performance.now() - begun - ctx.waitedMs);
      if (ctx.isWaiting || left > 1) {
        timer = setTimeout(late, Math.max(left, ctx.isWaiting ? POLL_MS : 1));
        return;
      }
      const error = new ToolError(`Tool "${tool}" took longer than ${milliseconds} ms and was ended`);
      ctx.stop(error);
      reject(error);
    };
    let timer = setTimeout(late, milliseconds);
    const over = (): void => clearTimeout(timer);
    work.then(
      (value) => {
        over();
        resolve(value);
      },
      (error: unknown) => {
        over();
        reject(error);
      },
    );
  });
}

/** How often to look whether a question is still open. */
const POLL_MS = 100;
