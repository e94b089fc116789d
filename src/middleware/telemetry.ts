/**
 * A span for each call, in the trace that the client began: W3C trace context travels in `_meta`. Works with the
 * tracer of @opentelemetry/api, and with anything that has the same two methods.
 */

import { isRecord } from '../jsonrpc/message.js';
import { McpError } from '../protocol/errors.js';
import type { Call } from './compose.js';
import type { Layer } from './layer.js';
import { subjectOf } from './subject.js';

export interface Span {
  setAttribute(key: string, value: string): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
  spanContext(): { readonly traceId: string; readonly spanId: string; readonly traceFlags: number };
}

export interface Tracer {
  startSpan(name: string, options: { readonly attributes: Readonly<Record<string, string>> }): Span;
}

export interface TelemetryOptions {
  readonly tracer: Tracer;
}

const STATUS_ERROR = 2;

export function telemetry({ tracer }: TelemetryOptions): Layer {
  return {
    request: async (call, next) => {
      const subject = subjectOf(call);
      const attributes: Record<string, string> = { 'rpc.system': 'mcp', 'rpc.method': call.method };
      if (subject !== undefined) attributes['mcp.name'] = subject;
      const parent = isRecord(call.params._meta) ? call.params._meta.traceparent : undefined;
      if (typeof parent === 'string') attributes['mcp.traceparent'] = parent;
      const span = tracer.startSpan(subject === undefined ? call.method : `${call.method} ${subject}`, {
        attributes,
      });
      try {
        const result = await next(traced(call, span));
        if (result.isError === true) span.setStatus({ code: STATUS_ERROR, message: 'tool error' });
        return result;
      } catch (error) {
        const code = error instanceof McpError ? error.code : 'failed';
        // Waiting for the user's input is no failure.
        if (code !== 'input_required') span.setStatus({ code: STATUS_ERROR, message: code });
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

/** What goes on upstream belongs to this span. */
function traced(call: Call, span: Span): Call {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  const meta = isRecord(call.params._meta) ? call.params._meta : {};
  return { ...call, params: { ...call.params, _meta: { ...meta, traceparent } } };
}
