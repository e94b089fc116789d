/**
 * What clients and servers report about their work, for logs, metrics and traces. A plain function gets every
 * observation once it is complete; a tracer also gets the beginning of each request, so that it can put its
 * context into `_meta` and run the handler inside of it.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { META_BAGGAGE, META_TRACEPARENT, META_TRACESTATE, type RequestMeta } from '../protocol/model/meta.js';

export type Side = 'client' | 'server';

/** W3C trace context, as `_meta` carries it. */
export type TraceMeta = Pick<
  RequestMeta,
  typeof META_TRACEPARENT | typeof META_TRACESTATE | typeof META_BAGGAGE
>;

export type Observation =
  /** A request has its outcome. */
  | {
      readonly type: 'request';
      readonly side: Side;
      readonly method: string;
      /** The tool, prompt or resource that it is about. */
      readonly subject: string | undefined;
      readonly durationMs: number;
      /** Why it failed: the code of the error, or `tool_error`. */
      readonly failure: string | undefined;
      /** The trace that the request belongs to, where it says so. */
      readonly trace: TraceMeta;
    }
  /** A connection went from one state to another. */
  | {
      readonly type: 'state';
      readonly side: Side;
      readonly state: string;
      readonly previous: string;
      readonly error: unknown;
    }
  /** A request is sent again after it was lost. */
  | { readonly type: 'retry'; readonly side: Side; readonly method: string; readonly error: unknown }
  /** An answer to nothing that was asked, or no longer wanted. */
  | {
      readonly type: 'unknown_response';
      readonly side: Side;
      readonly kind: 'late' | 'duplicate' | 'unknown';
    }
  /** The peer did what the protocol forbids, and the connection goes on. */
  | { readonly type: 'violation'; readonly side: Side; readonly kind: string; readonly message: string };

export type Observe = (observation: Observation) => unknown;

export interface TracedRequest {
  readonly side: Side;
  readonly method: string;
  readonly subject: string | undefined;
  readonly params: JsonObject;
  readonly revision: string | undefined;
}

export interface RequestTrace {
  /** For the request's `_meta`. */
  readonly meta: TraceMeta | undefined;
  /** Runs the handler inside of the trace. */
  run<T>(work: () => T): T;
  end(failure: string | undefined): void;
}

export interface Telemetry {
  begin(request: TracedRequest): RequestTrace;
  observe(observation: Observation): void;
}

/** A failing observer must not make the observed request fail. */
function quietly(work: () => unknown): void {
  try {
    const outcome = work();
    if (outcome instanceof Promise) outcome.catch(() => {});
  } catch {}
}

/** The plain hook, around a tracer if there is one. */
export function createTelemetry(
  observe: Observe | undefined,
  tracer: Telemetry | undefined,
  clock: () => number = () => performance.now(),
): Telemetry | undefined {
  if (observe === undefined) return tracer;
  const tell = (observation: Observation): void => {
    quietly(() => observe(observation));
    tracer?.observe(observation);
  };
  return {
    observe: tell,
    begin: (request) => {
      const { side, method, subject, params } = request;
      const trace = tracer?.begin(request);
      const started = clock();
      return {
        meta: trace?.meta,
        run: (work) => (trace === undefined ? work() : trace.run(work)),
        end: (failure) => {
          trace?.end(failure);
          const durationMs = clock() - started;
          const context = trace?.meta ?? traceOf(params);
          quietly(() =>
            observe({ type: 'request', side, method, subject, durationMs, failure, trace: context }),
          );
        },
      };
    },
  };
}

/** The trace context that a request came with. */
export function traceOf(params: JsonObject): TraceMeta {
  const meta = isRecord(params._meta) ? params._meta : {};
  const trace: TraceMeta = {};
  for (const key of [META_TRACEPARENT, META_TRACESTATE, META_BAGGAGE] as const) {
    const value = meta[key];
    if (typeof value === 'string') trace[key] = value;
  }
  return trace;
}
