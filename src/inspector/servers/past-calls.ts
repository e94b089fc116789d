/** Calls that have ended, with their outcomes: the newest, bounded in number and in memory. */

import type { JsonObject } from '../../jsonrpc/message.js';
import { maskText } from '../../protocol/secrets.js';
import { weigh } from '../../store/budget.js';
import type { CallOutcome, CallTarget, PastCall, ServerId } from '../api.js';
import type { EventSink } from '../events.js';
import { CommandError, notFound } from '../failure.js';
import { resultPreview } from '../timeline/preview.js';

const MAX_PAST = 200;
const MAX_BYTES = 64 * 1024 * 1024;

interface Past {
  readonly view: PastCall;
  /** As it was made, secrets and all. */
  readonly target: CallTarget;
  readonly outcome: CallOutcome;
  readonly bytes: number;
}

export class PastCalls {
  readonly #emit: EventSink;
  readonly #calls = new Map<string, Past>();
  #bytes = 0;

  constructor(emit: EventSink) {
    this.#emit = emit;
  }

  views(): PastCall[] {
    return [...this.#calls.values()].map(({ view }) => view);
  }

  add(server: ServerId, target: CallTarget, shown: CallTarget, outcome: CallOutcome): PastCall {
    const { callId, startedAt, durationMs, group, task } = outcome;
    const view: PastCall = {
      callId,
      server,
      target: shown,
      startedAt,
      durationMs,
      status: statusOf(outcome),
      preview: outcome.ok
        ? resultPreview(outcome.result)
        : maskText(outcome.failure.message).text.slice(0, 300),
      ...(group === undefined ? {} : { group }),
      ...(task === undefined ? {} : { task }),
    };
    const bytes = weigh(target) + (outcome.ok ? weigh(outcome.result) : 0);
    this.#forget(callId);
    this.#calls.set(callId, { view, target, outcome, bytes });
    this.#bytes += bytes;
    while (this.#calls.size > 1 && (this.#calls.size > MAX_PAST || this.#bytes > MAX_BYTES)) {
      const [oldest] = this.#calls.keys();
      if (oldest !== undefined) this.#forget(oldest);
    }
    return view;
  }

  outcome(callId: string): CallOutcome {
    return this.#find(callId).outcome;
  }

  request(callId: string): { readonly server: ServerId; readonly target: CallTarget } {
    const { view, target } = this.#find(callId);
    return { server: view.server, target };
  }

  clear(): void {
    this.#calls.clear();
    this.#bytes = 0;
    this.#emit({ type: 'pastCleared' });
  }

  #find(callId: string): Past {
    const found = this.#calls.get(callId);
    if (found === undefined) throw notFound('call');
    return found;
  }

  #forget(callId: string): void {
    const past = this.#calls.get(callId);
    if (past === undefined) return;
    this.#calls.delete(callId);
    this.#bytes -= past.bytes;
  }
}

function statusOf(outcome: CallOutcome): PastCall['status'] {
  if (!outcome.ok) return outcome.left ? 'left' : outcome.cancelled ? 'cancelled' : 'error';
  const result: JsonObject = outcome.result;
  return result.isError === true ? 'error' : 'ok';
}

/** Another call with this id runs, or ran. */
export function duplicateCall(callId: string): CommandError {
  return new CommandError(409, 'duplicate_call', `A call with the id ${JSON.stringify(callId)} is under way`);
}
