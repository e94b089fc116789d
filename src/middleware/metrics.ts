/** Counts and times of calls, in the text format of Prometheus. */

import { printable } from '../protocol/display.js';
import { McpError } from '../protocol/errors.js';
import type { Layer } from './layer.js';
import { subjectOf } from './subject.js';

export interface Metrics extends Layer {
  /** What `/metrics` answers with. */
  text(): string;
}

const BUCKETS = [0.005, 0.025, 0.1, 0.5, 2.5, 10];
/** Names come from outside; beyond this many they are counted together. */
const MAX_SERIES = 1_000;

interface Series {
  readonly labels: string;
  readonly buckets: number[];
  count: number;
  sum: number;
}

/** Counts calls, failures and durations; `text()` renders them for Prometheus. */
export function metrics(options: { readonly now?: (() => number) | undefined } = {}): Metrics {
  const { now = () => performance.now() } = options;
  const series = new Map<string, Series>();
  let running = 0;
  const observe = (method: string, subject: string, outcome: string, seconds: number): void => {
    const known = `method="${escaped(method)}",name="${escaped(subject)}",outcome="${outcome}"`;
    const labels =
      series.has(known) || series.size < MAX_SERIES
        ? known
        : `method="other",name="other",outcome="${outcome}"`;
    const entry = series.get(labels) ?? { labels, buckets: BUCKETS.map(() => 0), count: 0, sum: 0 };
    series.set(labels, entry);
    entry.count += 1;
    entry.sum += seconds;
    for (const [index, limit] of BUCKETS.entries()) {
      if (seconds <= limit) entry.buckets[index] = (entry.buckets[index] ?? 0) + 1;
    }
  };
  return {
    request: async (call, next) => {
      const started = now();
      running += 1;
      let outcome = 'ok';
      try {
        const result = await next();
        if (result.isError === true) outcome = 'tool_error';
        return result;
      } catch (error) {
        outcome = error instanceof McpError ? error.code : 'failed';
        throw error;
      } finally {
        running -= 1;
        observe(call.method, subjectOf(call) ?? '', outcome, (now() - started) / 1000);
      }
    },
    text: () => render([...series.values()], running),
  };
}

function render(series: readonly Series[], running: number): string {
  const lines = [
    '# HELP plumb_requests_running Requests that run now.',
    '# TYPE plumb_requests_running gauge',
    `plumb_requests_running ${running}`,
    '# HELP plumb_request_duration_seconds Requests by method, name and outcome.',
    '# TYPE plumb_request_duration_seconds histogram',
  ];
  const name = 'plumb_request_duration_seconds';
  for (const { labels, buckets, count, sum } of series) {
    for (const [index, limit] of BUCKETS.entries())
      lines.push(`${name}_bucket{${labels},le="${limit}"} ${buckets[index] ?? 0}`);
    lines.push(`${name}_bucket{${labels},le="+Inf"} ${count}`);
    lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`);
  }
  return `${lines.join('\n')}\n`;
}

function escaped(value: string): string {
  return printable(value.slice(0, 200))
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n');
}
