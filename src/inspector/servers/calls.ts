/** Calls that pages make: run, reported, given more time, cancelled. */

import type { Client } from '../../client/index.js';
import type { AskContext } from '../../client/input/asks.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { McpError } from '../../protocol/errors.js';
import { maskText } from '../../protocol/secrets.js';
import type { CallOutcome, CallRequest, CallTarget, InspectedCall, ServerId } from '../api.js';
import type { EventSink } from '../events.js';
import { CommandError, failureOf } from '../failure.js';
import { CallScope } from '../recorder/scope.js';
import { CallClock } from './call-clock.js';
import { duplicateCall, PastCalls } from './past-calls.js';

export const DEFAULT_CALL_TIMEOUT_MS = 60_000;
const MAX_RUNNING = 1_000;
const METHODS = { tool: 'tools/call', resource: 'resources/read', prompt: 'prompts/get' } as const;

interface Running {
  view: InspectedCall;
  readonly target: CallTarget;
  readonly controller: AbortController;
  readonly clock: CallClock;
}

/** The reason that a call is aborted with when its time is over. */
class CallExpired extends Error {}

export class Calls {
  readonly past: PastCalls;
  readonly #emit: EventSink;
  readonly #running = new Map<string, Running>();

  constructor(emit: EventSink) {
    this.#emit = emit;
    this.past = new PastCalls(emit);
  }

  views(): InspectedCall[] {
    return [...this.#running.values()].map(({ view }) => view);
  }

  async run(client: Client, request: CallRequest): Promise<CallOutcome> {
    const { callId, server, target } = request;
    if (this.#running.has(callId)) throw duplicateCall(callId);
    if (this.#running.size >= MAX_RUNNING) {
      throw new CommandError(429, 'too_many_calls', 'Too many calls are under way; wait for some of them');
    }
    const running = this.#start(request);
    const { controller, clock } = running;
    const { startedAt } = running.view;
    const began = performance.now();
    const scope = new CallScope({ method: methodOf(target) });
    const about = (): { callId: string; startedAt: number; durationMs: number; group?: number } => ({
      callId,
      startedAt,
      durationMs: performance.now() - began,
      ...(scope.group === undefined ? {} : { group: scope.group }),
    });
    let outcome: CallOutcome | undefined;
    try {
      const result = await scope.run(() =>
        perform(client, target, {
          signal: controller.signal,
          // The clock of the call decides, which its user can change meanwhile.
          timeout: Number.POSITIVE_INFINITY,
          maxTimeout: Number.POSITIVE_INFINITY,
          onProgress: ({ progress, total, message }) => {
            const told = {
              progress,
              ...(total === undefined ? {} : { total }),
              ...(message === undefined ? {} : { message }),
            };
            running.view = { ...running.view, progress: told };
            this.#emit({ type: 'callProgress', callId, progress: told });
            clock.progressed();
          },
        }),
      );
      outcome = { ...about(), ok: true, result };
      return outcome;
    } catch (error) {
      if (error instanceof CommandError) throw error;
      outcome = { ...about(), ok: false, ...failed(error, controller.signal, clock.timeoutMs) };
      return outcome;
    } finally {
      clock.stop();
      this.#running.delete(callId);
      const past =
        outcome === undefined ? {} : { past: this.past.add(server, target, running.view.target, outcome) };
      this.#emit({ type: 'callEnded', callId, ...past });
    }
  }

  #start({ callId, server, target, timeoutMs = DEFAULT_CALL_TIMEOUT_MS }: CallRequest): Running {
    const controller = new AbortController();
    const expired = (): void => controller.abort(new CallExpired('Timed out in the inspector'));
    const clock = new CallClock(timeoutMs, expired, (deadlineAt) => this.#deadline(callId, deadlineAt));
    const { deadlineAt } = clock;
    const view: InspectedCall = {
      callId,
      server,
      target: maskedTarget(target),
      startedAt: Date.now(),
      timeoutMs,
      ...(deadlineAt === undefined ? {} : { deadlineAt }),
    };
    const running: Running = { view, target, controller, clock };
    this.#running.set(callId, running);
    this.#emit({ type: 'callStarted', call: view });
    return running;
  }

  #deadline(callId: string, deadlineAt: number | undefined): void {
    const running = this.#running.get(callId);
    if (running === undefined) return;
    const { deadlineAt: _, ...view } = running.view;
    running.view = {
      ...view,
      timeoutMs: running.clock.timeoutMs,
      ...(deadlineAt === undefined ? {} : { deadlineAt }),
    };
    const { timeoutMs } = running.clock;
    this.#emit({ type: 'callDeadline', callId, timeoutMs, deadlineAt: deadlineAt ?? null });
  }

  /** Gives it so much time from now on; 0 for no limit. */
  extend(callId: string, timeoutMs: number): boolean {
    const running = this.#running.get(callId);
    running?.clock.extend(timeoutMs);
    return running !== undefined;
  }

  /** A question within the call waits for its answer, or has it. */
  asked(callId: string, open: boolean): void {
    this.#running.get(callId)?.clock.asked(open);
  }

  cancel(callId: string): boolean {
    const running = this.#running.get(callId);
    running?.controller.abort(new Error('Cancelled in the inspector'));
    return running !== undefined;
  }

  cancelAll(server?: ServerId): void {
    for (const { view, controller } of this.#running.values()) {
      if (server === undefined || view.server === server) controller.abort();
    }
  }

  /** The call that a question belongs to: the client hands on the very objects that it was called with. */
  owning(server: ServerId, call: AskContext['call']): string | undefined {
    const candidates = [...this.#running.values()].filter(({ view }) => view.server === server);
    if (call === undefined) return candidates.length === 1 ? candidates[0]?.view.callId : undefined;
    return candidates.find(({ target }) => isSame(target, call))?.view.callId;
  }
}

function methodOf(target: CallTarget): string {
  return target.kind === 'raw' || target.kind === 'notification' ? target.method : METHODS[target.kind];
}

function failed(
  error: unknown,
  signal: AbortSignal,
  timeoutMs: number,
): Pick<Extract<CallOutcome, { ok: false }>, 'cancelled' | 'failure'> {
  if (signal.reason instanceof CallExpired) {
    const message = `The server did not answer within ${timeoutMs / 1_000} s, and the call was cancelled. Set a longer time-out for this call, or in the settings of the server`;
    return { cancelled: false, failure: { code: 'timeout', message } };
  }
  const cancelled = error instanceof McpError && error.code === 'cancelled';
  return { cancelled, failure: failureOf(error) };
}

type Options = NonNullable<Parameters<Client['request']>[2]>;

/** Results come back as they are shown: with everything that the server said. */
async function perform(client: Client, target: CallTarget, options: Options): Promise<JsonObject> {
  switch (target.kind) {
    case 'tool':
      return { ...(await client.tools.call(target.name, target.arguments, options)) };
    case 'resource':
      return { ...(await client.resources.read(target.uri, { ...options, cache: 'reload' })) };
    case 'prompt':
      return { ...(await client.prompts.get(target.name, target.arguments, options)) };
    case 'raw':
      return client.request(target.method, target.params, options);
    case 'notification':
      await client.notify(target.method, target.params);
      return {};
  }
}

/** Other pages see it too, and a call that is replayed was never typed there. */
function maskedTarget(target: CallTarget): CallTarget {
  const { text, masked } = maskText(JSON.stringify(target));
  return masked ? JSON.parse(text) : target;
}

function isSame(target: CallTarget, { method, params }: NonNullable<AskContext['call']>): boolean {
  if (target.kind === 'notification') return false;
  if (target.kind === 'raw') return target.method === method && sameParams(target.params, params);
  if (METHODS[target.kind] !== method) return false;
  return target.kind === 'resource' ? params.uri === target.uri : params.arguments === target.arguments;
}

/** A retry adds answers and state to what was there. */
function sameParams(given: JsonObject, sent: JsonObject): boolean {
  if (given === sent) return true;
  return Object.entries(given).every(
    ([name, value]) => sent[name] === value || (name === '_meta' && isRecord(sent[name])),
  );
}
