/**
 * Tries again what failed for reasons that may pass. Only what can be done twice: lists, reads, and tools that say so
 * in their annotations; a call that may have acted is never repeated on a guess.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { type Duration, milliseconds } from '../protocol/duration.js';
import { ProtocolError } from '../protocol/errors.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { Call } from './compose.js';
import type { Layer } from './layer.js';

export interface RetryOptions {
  /** Attempts in all. Default: 3. */
  readonly attempts?: number | undefined;
  /** Before the second attempt; doubled for each further one. */
  readonly delay?: Duration | undefined;
  /** Waits between attempts; tests replace it. */
  readonly wait?: ((ms: number) => Promise<void>) | undefined;
}

const OPTIONS: OptionNames<RetryOptions> = { attempts: true, delay: true, wait: true };

const MAX_TOOLS = 10_000;

/** Calls again what failed and is safe to repeat. */
export function retry(options: RetryOptions = {}): Layer {
  assertOptionNames('retry', options, OPTIONS);
  const { attempts = 3, delay = '200ms', wait = sleep } = options;
  const first = milliseconds(delay);
  const repeatable = new Set<string>();
  return {
    request: async (call, next) => {
      if (call.method === 'tools/list') {
        const result = await next();
        learn(repeatable, result);
        return result;
      }
      if (!isRepeatable(call, repeatable)) return next();
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await next.again();
        } catch (error) {
          if (attempt >= attempts || !mayPass(error) || call.signal.aborted) throw error;
          await wait(first * 2 ** (attempt - 1));
        }
      }
    },
  };
}

function learn(repeatable: Set<string>, { tools }: JsonObject): void {
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (!isRecord(tool) || typeof tool.name !== 'string') continue;
    const { readOnlyHint, idempotentHint } = isRecord(tool.annotations) ? tool.annotations : {};
    if ((readOnlyHint === true || idempotentHint === true) && repeatable.size < MAX_TOOLS)
      repeatable.add(tool.name);
    else repeatable.delete(tool.name);
  }
}

function isRepeatable({ method, params }: Call, tools: ReadonlySet<string>): boolean {
  // Answers of the user are given once.
  if (params.inputResponses !== undefined || params.requestState !== undefined) return false;
  if (method === 'tools/call') return typeof params.name === 'string' && tools.has(params.name);
  return method === 'resources/read' || method === 'prompts/get' || method.endsWith('/list');
}

function mayPass(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === 'internal_error';
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
