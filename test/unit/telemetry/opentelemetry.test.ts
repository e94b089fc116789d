/** With a real OpenTelemetry SDK, registered as an application would. */

import * as otel from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { handshakeServer, turn } from '../../support/scripted-server.js';

const spans = new InMemorySpanExporter();
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 });

beforeAll(() => {
  otel.trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
  );
  otel.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  otel.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  otel.propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
});
afterAll(async () => {
  await reader.shutdown();
  otel.trace.disable();
  otel.metrics.disable();
  otel.context.disable();
  otel.propagation.disable();
  // Where an SDK was registered, an application has telemetry: later files of this process are others.
  Reflect.deleteProperty(globalThis, Symbol.for('opentelemetry.js.api.1'));
});
beforeEach(() => spans.reset());

async function metricNames(): Promise<string[]> {
  await reader.forceFlush();
  return measured
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics.map(({ descriptor }) => descriptor.name));
}

describe.each(REVISIONS.map(({ version }) => version))('with an SDK registered (%s)', (revision) => {
  it('one trace goes from the caller through client and server into the handler', async () => {
    const tracer = otel.trace.getTracer('test');
    const server = createServer({ name: 's', version: '1' });
    server.tool('work', {}, () => {
      tracer.startSpan('inside').end();
      return 'done';
    });
    const client = await connect(server, { revisions: [revision] });
    spans.reset();
    await tracer.startActiveSpan('outside', async (span) => {
      await client.tools.call('work');
      span.end();
    });
    const [inside, served, called, outside] = ['inside', 'tools/call work', 'tools/call work', 'outside'].map(
      (name, index) => spans.getFinishedSpans().filter((span) => span.name === name)[index === 2 ? 1 : 0],
    );
    expect(new Set([inside, served, called, outside].map((span) => span?.spanContext().traceId)).size).toBe(
      1,
    );
    expect(called?.parentSpanContext?.spanId).toBe(outside?.spanContext().spanId);
    expect(served?.parentSpanContext?.spanId).toBe(called?.spanContext().spanId);
    expect(inside?.parentSpanContext?.spanId).toBe(served?.spanContext().spanId);
    expect(served?.kind).toBe(otel.SpanKind.SERVER);
    expect(called?.kind).toBe(otel.SpanKind.CLIENT);
    expect(called?.attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'work',
      'mcp.protocol.version': revision,
    });
    await client.close();
    expect(await metricNames()).toEqual(
      expect.arrayContaining(['mcp.client.operation.duration', 'mcp.server.operation.duration']),
    );
  });
});

it('sends traceparent and baggage in _meta, and leaves alone what the caller put there', async () => {
  const server = handshakeServer().on('tools/call', () => ({ content: [] }));
  const client = await connect(server);
  const baggage = otel.propagation.createBaggage({ tenant: { value: 'a' } });
  await otel.context.with(otel.propagation.setBaggage(otel.context.active(), baggage), () =>
    client.tools.call('x'),
  );
  await client.tools.call('y', {}, { meta: { traceparent: 'mine' } });
  const [first, second] = server.all('tools/call');
  expect(first?.params._meta).toMatchObject({
    traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
    baggage: 'tenant=a',
  });
  expect(second?.params._meta).toMatchObject({ traceparent: 'mine' });
  await client.close();
});

it('counts transitions, retries, unknown responses and violations, and marks what failed', async () => {
  const server = handshakeServer();
  const client = await connect(server, { recover: { initialDelay: 1 } });
  const call = client.tools.call('x', {}, { retry: true });
  await server.next('tools/call');
  server.send('{"jsonrpc":"2.0","id":99,"result":{}}');
  await turn();
  await server.hangUp();
  server.refuse(await server.next('tools/call'), -32603);
  await expect(call).rejects.toThrow();
  await client.close();
  const failed = spans.getFinishedSpans().find(({ name }) => name === 'tools/call x');
  expect(failed).toMatchObject({
    status: { code: otel.SpanStatusCode.ERROR },
    attributes: { 'error.type': 'internal_error' },
  });
  expect(spans.getFinishedSpans().map(({ name }) => name)).toContain('mcp connection backoff');
  expect(await metricNames()).toEqual(
    expect.arrayContaining([
      'plumb.connection.transitions',
      'plumb.request.retries',
      'plumb.response.unknown',
      'plumb.violations',
    ]),
  );
});

it('is off when told so, and takes an API that is given', async () => {
  const server = handshakeServer().on('tools/call', () => ({ content: [] }));
  const off = await connect(server, { telemetry: false });
  await off.tools.call('x');
  await off.close();
  expect(server.all('tools/call')[0]?.params._meta).toBeUndefined();
  const given = await connect(server, { telemetry: otel });
  await given.tools.call('x');
  await given.close();
  expect(server.all('tools/call')[1]?.params._meta).toHaveProperty('traceparent');
});
