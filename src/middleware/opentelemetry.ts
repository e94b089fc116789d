/** Spans and metrics through @opentelemetry/api, by the names of its semantic conventions for MCP. */

import { PLUMB_VERSION } from '../protocol/version.js';
import type { Observation, RequestTrace, Telemetry, TracedRequest } from './observe.js';
import { traceOf } from './observe.js';

type Attributes = Record<string, string | number | boolean>;

/** The part of `Span` that is used here. */
export interface OtelSpan {
  setAttribute(key: string, value: string): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** An immutable map of what the current work belongs to; opaque to us. */
export interface OtelContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): OtelContext;
  deleteValue(key: symbol): OtelContext;
}

/** The part of @opentelemetry/api that is used here. */
export interface OtelApi {
  readonly trace: {
    getTracer(
      name: string,
      version?: string,
    ): {
      startSpan(
        name: string,
        options: { kind: number; attributes: Attributes },
        context: OtelContext,
      ): OtelSpan;
    };
    setSpan(context: OtelContext, span: OtelSpan): OtelContext;
  };
  readonly metrics: {
    getMeter(
      name: string,
      version?: string,
    ): {
      createCounter(
        name: string,
        options: { description: string },
      ): { add(value: number, attributes: Attributes): void };
      createHistogram(
        name: string,
        options: { description: string; unit: string },
      ): { record(value: number, attributes: Attributes): void };
    };
  };
  readonly context: { active(): OtelContext; with<T>(context: OtelContext, work: () => T): T };
  readonly propagation: {
    inject(context: OtelContext, carrier: object): void;
    extract(context: OtelContext, carrier: object): OtelContext;
  };
}

/** Of the enumerations in the API. */
const KIND = { internal: 0, server: 1, client: 2 } as const;
const STATUS_ERROR = 2;

const NAME = 'plumb-mcp';

export function openTelemetry(api: OtelApi): Telemetry {
  const tracer = api.trace.getTracer(NAME, PLUMB_VERSION);
  const meter = api.metrics.getMeter(NAME, PLUMB_VERSION);
  const counter = (name: string, description: string) => meter.createCounter(name, { description });
  const durations = {
    client: duration('mcp.client.operation.duration'),
    server: duration('mcp.server.operation.duration'),
  };
  const counters = {
    state: counter('plumb.connection.transitions', 'Changes of state of connections'),
    retry: counter('plumb.request.retries', 'Requests sent again after they were lost'),
    unknown_response: counter('plumb.response.unknown', 'Answers without a pending request'),
    violation: counter('plumb.violations', 'Messages that break the protocol'),
  };

  function duration(name: string) {
    return meter.createHistogram(name, { description: 'How long a request took', unit: 's' });
  }

  function begin(request: TracedRequest): RequestTrace {
    const { side, method, subject, params } = request;
    const attributes = attributesOf(request);
    const active = api.context.active();
    const parent = side === 'server' ? api.propagation.extract(active, traceOf(params)) : active;
    const name = subject === undefined ? method : `${method} ${subject}`;
    const span = tracer.startSpan(name, { kind: KIND[side], attributes }, parent);
    const context = api.trace.setSpan(parent, span);
    const started = performance.now();
    // There may be any number of URIs, and a metric for each would be one too many.
    const { 'mcp.resource.uri': _, ...measured } = attributes;
    const meta = {};
    if (side === 'client') api.propagation.inject(context, meta);
    return {
      meta: side === 'client' ? meta : undefined,
      run: (work) => api.context.with(context, work),
      end: (failure) => {
        if (failure !== undefined) {
          span.setAttribute('error.type', failure);
          span.setStatus({ code: STATUS_ERROR, message: failure });
          measured['error.type'] = failure;
        }
        span.end();
        durations[side].record((performance.now() - started) / 1_000, measured);
      },
    };
  }

  function observe(observation: Observation): void {
    switch (observation.type) {
      case 'request':
        return;
      case 'state': {
        const { side, state, previous, error } = observation;
        const attributes = { 'plumb.side': side, 'plumb.state': state, 'plumb.state.previous': previous };
        counters.state.add(1, attributes);
        const options = { kind: KIND.internal, attributes };
        const span = tracer.startSpan(`mcp connection ${state}`, options, api.context.active());
        if (error instanceof Error) span.setStatus({ code: STATUS_ERROR, message: error.message });
        span.end();
        return;
      }
      case 'retry':
        counters.retry.add(1, { 'plumb.side': observation.side, 'mcp.method.name': observation.method });
        return;
      case 'unknown_response':
      case 'violation':
        counters[observation.type].add(1, { 'plumb.side': observation.side, 'plumb.kind': observation.kind });
    }
  }

  return { begin, observe };
}

function attributesOf({ method, subject, revision }: TracedRequest): Attributes {
  const attributes: Attributes = { 'mcp.method.name': method };
  if (revision !== undefined) attributes['mcp.protocol.version'] = revision;
  if (subject === undefined) return attributes;
  if (method === 'tools/call') attributes['gen_ai.tool.name'] = subject;
  else if (method === 'prompts/get') attributes['gen_ai.prompt.name'] = subject;
  else attributes['mcp.resource.uri'] = subject;
  return attributes;
}
