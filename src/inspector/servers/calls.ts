/** Calls that pages make: run, reported, cancelled. */

import type { AskContext, Client } from '../../client/index.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { McpError } from '../../protocol/errors.js';
import { maskText } from '../../protocol/secrets.js';
import type { CallOutcome, CallRequest, CallTarget, RunningCall, ServerId } from '../api.js';
import type { EventSink } from '../events.js';
import { CommandError, failureOf } from '../failure.js';
import { CallScope } from '../recorder/scope.js';

const DEFAULT_TIMEOUT_MS = 60_000;
/** However much progress is reported. */
const MAX_TIMEOUT_MS = 60 * 60_000;
const MAX_RUNNING = 1_000;
const METHODS = { tool: 'tools/call', resource: 'resources/read', prompt: 'prompts/get' } as const;

interface Running {
  view: RunningCall;
  readonly target: CallTarget;
  readonly controller: AbortController;
}

export class Calls {
  readonly #emit: EventSink;
  readonly #running = new Map<string, Running>();

  constructor(emit: EventSink) {
    this.#emit = emit;
  }

  views(): RunningCall[] {
    return [...this.#running.values()].map(({ view }) => view);
  }

  async run(client: Client, request: CallRequest): Promise<CallOutcome> {
    const { callId, server, target, timeoutMs = DEFAULT_TIMEOUT_MS } = request;
    if (this.#running.has(callId)) {
      throw new CommandError(
        409,
        'duplicate_call',
        `A call with the id ${JSON.stringify(callId)} is under way`,
      );
    }
    if (this.#running.size >= MAX_RUNNING) {
      throw new CommandError(429, 'too_many_calls', 'Too many calls are under way; wait for some of them');
    }
    const controller = new AbortController();
    const startedAt = Date.now();
    const began = performance.now();
    const view: RunningCall = { callId, server, target: maskedTarget(target), startedAt };
    const running: Running = { view, target, controller };
    this.#running.set(callId, running);
    this.#emit({ type: 'callStarted', call: running.view });
    const scope = new CallScope();
    const about = (): { callId: string; startedAt: number; durationMs: number; group?: number } => ({
      callId,
      startedAt,
      durationMs: performance.now() - began,
      ...(scope.group === undefined ? {} : { group: scope.group }),
    });
    try {
      const result = await scope.run(() =>
        perform(client, target, {
          signal: controller.signal,
          timeout: timeoutMs,
          maxTimeout: Math.max(MAX_TIMEOUT_MS, timeoutMs),
          onProgress: ({ progress, total, message }) => {
            const told = {
              progress,
              ...(total === undefined ? {} : { total }),
              ...(message === undefined ? {} : { message }),
            };
            running.view = { ...running.view, progress: told };
            this.#emit({ type: 'callProgress', callId, progress: told });
          },
        }),
      );
      return { ...about(), ok: true, result };
    } catch (error) {
      if (error instanceof CommandError) throw error;
      const cancelled = error instanceof McpError && error.code === 'cancelled';
      return { ...about(), ok: false, cancelled, failure: failureOf(error) };
    } finally {
      this.#running.delete(callId);
      this.#emit({ type: 'callEnded', callId });
    }
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
  }
}

/** Other pages see it too, and a call that is replayed was never typed there. */
function maskedTarget(target: CallTarget): CallTarget {
  const { text, masked } = maskText(JSON.stringify(target));
  return masked ? JSON.parse(text) : target;
}

function isSame(target: CallTarget, { method, params }: NonNullable<AskContext['call']>): boolean {
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
