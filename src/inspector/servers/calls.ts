/** Calls that pages make: run, reported, given more time, cancelled. */

import type { TaskState } from '../../client/features/task-state.js';
import type { TaskHandle } from '../../client/features/tasks.js';
import type { Client } from '../../client/index.js';
import type { AskContext } from '../../client/input/asks.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { McpError } from '../../protocol/errors.js';
import type { CallToolResult } from '../../protocol/model/tools.js';
import { maskText } from '../../protocol/secrets.js';
import type { CallOutcome, CallRequest, CallTarget, InspectedCall, ServerId } from '../api.js';
import type { EventSink } from '../events.js';
import { CommandError, failureOf } from '../failure.js';
import { CallScope } from '../recorder/scope.js';
import { CallClock } from './call-clock.js';
import { duplicateCall, PastCalls } from './past-calls.js';
import type { KnownTasks } from './tasks.js';

export const DEFAULT_CALL_TIMEOUT_MS = 60_000;
const MAX_RUNNING = 1_000;
const METHODS = {
  tool: 'tools/call',
  task: 'tasks/get',
  resource: 'resources/read',
  prompt: 'prompts/get',
} as const;

interface Running {
  view: InspectedCall;
  readonly target: CallTarget;
  readonly controller: AbortController;
  readonly clock: CallClock;
  /** Of the task that it became. */
  handle: TaskHandle | undefined;
  left: boolean;
}

/** The reason that a call is aborted with when its time is over. */
class CallExpired extends Error {}

export class Calls {
  readonly past: PastCalls;
  readonly #emit: EventSink;
  readonly #tasks: KnownTasks;
  readonly #running = new Map<string, Running>();

  constructor(emit: EventSink, tasks: KnownTasks) {
    this.#emit = emit;
    this.#tasks = tasks;
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
    const about = (): Pick<CallOutcome, 'callId' | 'startedAt' | 'durationMs' | 'group' | 'task'> => ({
      callId,
      startedAt,
      durationMs: performance.now() - began,
      ...(scope.group === undefined ? {} : { group: scope.group }),
      ...(running.view.task === undefined ? {} : { task: running.view.task }),
    });
    let outcome: CallOutcome | undefined;
    try {
      const result = await scope.run(() =>
        perform(client, running, {
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
          onStatus: (state) => this.#heard(running, state),
        }),
      );
      outcome = { ...about(), ok: true, result };
      return outcome;
    } catch (error) {
      if (error instanceof CommandError) throw error;
      outcome = { ...about(), ok: false, ...failed(error, running) };
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
    const running: Running = { view, target, controller, clock, handle: undefined, left: false };
    this.#running.set(callId, running);
    this.#emit({ type: 'callStarted', call: view });
    return running;
  }

  /** It became a task, or its task has news. */
  #heard(running: Running, state: TaskState): void {
    const { callId, server, task } = running.view;
    const { target } = running;
    const tool = target.kind === 'tool' ? target.name : undefined;
    this.#tasks.heard(server, state, { callId, tool });
    if (task !== undefined) return;
    running.view = { ...running.view, task: state.id };
    this.#emit({ type: 'callTask', callId, task: state.id });
    // A server that answered with a task is there, and the task has a time to live.
    running.clock.extend(0);
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

  /** Stops waiting for its task, which goes on; false where there is none. */
  leave(callId: string): boolean {
    const running = this.#running.get(callId);
    if (running?.handle?.id === undefined) return false;
    running.left = true;
    running.handle.leave();
    return true;
  }

  /** The connection ends: tasks may be resumed later, the others are cancelled. */
  cancelAll(server?: ServerId): void {
    for (const { view, controller } of this.#running.values()) {
      if (server !== undefined && view.server !== server) continue;
      if (!this.leave(view.callId)) controller.abort();
    }
  }

  /** Whether a call waits for the end of this task. */
  follows(server: ServerId, task: string): boolean {
    return [...this.#running.values()].some(({ view }) => view.server === server && view.task === task);
  }

  /** The call that a question belongs to: the client hands on the very objects that it was called with. */
  owning(server: ServerId, call: AskContext['call'], task?: string): string | undefined {
    const candidates = [...this.#running.values()].filter(({ view }) => view.server === server);
    const id = task ?? call?.params.taskId;
    const follower = id === undefined ? undefined : candidates.findLast(({ view }) => view.task === id);
    if (follower !== undefined) return follower.view.callId;
    if (call === undefined) return candidates.length === 1 ? candidates[0]?.view.callId : undefined;
    return candidates.find(({ target }) => isSame(target, call))?.view.callId;
  }
}

function methodOf(target: CallTarget): string {
  return target.kind === 'raw' || target.kind === 'notification' ? target.method : METHODS[target.kind];
}

function failed(
  error: unknown,
  { controller: { signal }, clock: { timeoutMs }, left }: Running,
): Pick<Extract<CallOutcome, { ok: false }>, 'cancelled' | 'left' | 'failure'> {
  if (left) return { cancelled: false, left, failure: failureOf(error) };
  if (signal.reason instanceof CallExpired) {
    const message = `The server did not answer within ${timeoutMs / 1_000} s, and the call was cancelled. Set a longer time-out for this call, or in the settings of the server`;
    return { cancelled: false, failure: { code: 'timeout', message } };
  }
  const cancelled = error instanceof McpError && error.code === 'cancelled';
  return { cancelled, failure: failureOf(error) };
}

type Options = NonNullable<Parameters<Client['request']>[2]>;

/** Results come back as they are shown: with everything that the server said. */
async function perform(client: Client, running: Running, options: Options): Promise<JsonObject> {
  const { target } = running;
  switch (target.kind) {
    case 'tool':
      return { ...(await callTool(client, target, running, options)) };
    case 'task': {
      const { signal, onStatus } = options;
      running.handle = await client.tasks.resume(target.id, { signal, onStatus });
      return { ...(await running.handle.result()) };
    }
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

/** Where clients choose, a call is a task if its user wants it, or if the tool is nothing else. */
async function callTool(
  client: Client,
  { name, arguments: args, task = false }: Extract<CallTarget, { kind: 'tool' }>,
  running: Running,
  options: Options,
): Promise<CallToolResult> {
  const chooses = client.capabilities.tasks?.requests?.tools?.call !== undefined;
  if (chooses && !task && (await client.tools.taskSupport(name, options)) !== 'required')
    return client.tools.call(name, args, options);
  running.handle = await client.tools.start(name, args, options);
  return running.handle.result();
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
  if (target.kind === 'task') return params.taskId === target.id;
  return target.kind === 'resource' ? params.uri === target.uri : params.arguments === target.arguments;
}

/** A retry adds answers and state to what was there. */
function sameParams(given: JsonObject, sent: JsonObject): boolean {
  if (given === sent) return true;
  return Object.entries(given).every(
    ([name, value]) => sent[name] === value || (name === '_meta' && isRecord(sent[name])),
  );
}
