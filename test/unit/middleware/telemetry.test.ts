import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { telemetry } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { echo, meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('telemetry on a %s', (place) => {
  test('makes a span for each call with the tracer of OpenTelemetry, and passes its context on', async () => {
    const spans = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
    let seen: unknown;
    const { client } = await meet(place, telemetry({ tracer: provider.getTracer('test') }), (call, next) => {
      if (call.method === 'tools/call') seen = call.params._meta;
      return next();
    });
    await echo(client);
    await client.tools.call('write_broken').catch(() => undefined);
    const finished = spans.getFinishedSpans();
    const called = finished.find(({ name }) => name === 'tools/call echo');
    expect(called?.attributes).toMatchObject({ 'rpc.method': 'tools/call', 'mcp.name': 'echo' });
    expect(finished.find(({ name }) => name === 'tools/call write_broken')?.status.code).toBe(2);
    expect(seen).toMatchObject({ traceparent: expect.stringMatching(/^00-[\da-f]{32}-[\da-f]{16}-01$/) });
  });
});
