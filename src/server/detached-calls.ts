/** Calls that may become tasks: answered when they end, or when the task is there, which then ends by itself. */

import type { ErrorObject, JsonObject } from '../jsonrpc/message.js';
import { ProtocolError } from '../protocol/errors.js';
import { errorFor } from '../protocol/revisions/index.js';
import { type Answer, resultOf } from '../protocol/revisions/result-text.js';
import { encodeResult } from '../protocol/revisions/results.js';
import type { BackgroundCall, DetachedCall } from './background-call.js';
import type { CallContext } from './context.js';
import type { ErrorHandler } from './error-report.js';
import type { Reply } from './reply.js';
import { isThenable } from './thenable.js';
import { failure, unexpectedToolFailure } from './tool-failure.js';
import { ToolError } from './tool-result.js';

/** Makes tasks of calls. */
export interface Detacher {
  /** Whether the client of this call can have a task for it. */
  wants(ctx: CallContext): boolean;
  detach(ctx: CallContext): Promise<DetachedCall>;
}

type TaskEnd = { readonly result: JsonObject } | { readonly error: ErrorObject };
type MaybeReply = Reply | undefined | Promise<Reply | undefined>;

/** How the call is run and answered. */
export interface DetachableRun {
  start(): Answer | Promise<Answer>;
  /** It did not end at once. */
  begin(): void;
  /** The answer that says that there is a task. */
  detached(created: JsonObject): Reply;
  succeed(answer: Answer): MaybeReply;
  fail(error: unknown): MaybeReply;
  readonly onError: ErrorHandler;
  readonly exposeErrors: boolean;
}

export function answerOrDetach(
  ctx: CallContext,
  detacher: Detacher,
  run: DetachableRun,
): Promise<Reply | undefined> {
  return new Promise((resolve, reject) => {
    ctx.detaching = async () => {
      const { created, background } = await detacher.detach(ctx);
      resolve(run.detached(created));
      return background;
    };
    const succeed = (answer: Answer): MaybeReply => {
      const { background } = ctx;
      if (background === undefined) return run.succeed(answer);
      return settle(ctx, run, background, () => ({
        result: encodeResult(ctx.peer.revision, ctx.method, ctx.carrying(resultOf(answer))),
      }));
    };
    const fail = (error: unknown): MaybeReply => {
      const { background } = ctx;
      if (background === undefined) return run.fail(error);
      return settle(ctx, run, background, () => failed(ctx, run, error));
    };
    try {
      const outcome = run.start();
      if (!isThenable(outcome)) {
        resolve(succeed(outcome));
        return;
      }
      run.begin();
      Promise.resolve(outcome).then(succeed, fail).then(resolve, reject);
    } catch (error) {
      resolve(fail(error));
    }
  });
}

/** Writes down how a task has ended. Its call was answered long ago. */
async function settle(
  ctx: CallContext,
  run: DetachableRun,
  background: BackgroundCall,
  outcome: () => TaskEnd,
): Promise<undefined> {
  ctx.end();
  const end = (): TaskEnd => {
    try {
      const made = outcome();
      // What cannot be written (a cycle, a BigInt) is the handler's failure like any other.
      JSON.stringify(made);
      return made;
    } catch (error) {
      return failed(ctx, run, error);
    }
  };
  await background.settle(end()).catch((error: unknown) => run.onError(error, ctx.method));
}

/** What a failed call would have been answered with. */
function failed(ctx: CallContext, { onError, exposeErrors }: DetachableRun, error: unknown): TaskEnd {
  if (error instanceof ProtocolError) return { error: errorFor(ctx.peer.revision, error) };
  if (error instanceof ToolError) return { result: ctx.carrying(failure(error)) };
  // The handler of a task that was cancelled fails because of that.
  if (!ctx.signal.aborted) onError(error, ctx.method);
  return { result: ctx.carrying(unexpectedToolFailure(String(ctx.params.name), error, exposeErrors)) };
}
