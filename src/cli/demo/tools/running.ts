/** Tools that take their time: progress, log messages, cancellation. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '../../../server/index.js';

export function addRunningTools(server: Server): void {
  server.tool(
    'count',
    {
      title: 'Count',
      description: 'Counts up slowly and reports its progress. Stops when the call is cancelled.',
      annotations: { readOnlyHint: true, openWorldHint: false },
      input: {
        type: 'object',
        properties: {
          to: { type: 'integer', minimum: 1, maximum: 1_000, default: 5 },
          delayMs: {
            type: 'integer',
            minimum: 0,
            maximum: 10_000,
            default: 200,
            description: 'Time for each step.',
          },
        },
      },
    },
    async ({ to = 5, delayMs = 200 }, ctx) => {
      for (let step = 1; step <= to; step += 1) {
        // Rejects as soon as the client cancels, and the server then answers nothing.
        await delay(delayMs, undefined, { signal: ctx.signal });
        ctx.progress(step, to, `Step ${step} of ${to}`);
      }
      return `Counted to ${to}.`;
    },
  );

  server.tool(
    'wait',
    {
      title: 'Wait',
      description: 'Answers after a while, without a word before. For timeouts and cancellation.',
      annotations: { readOnlyHint: true, openWorldHint: false },
      input: {
        type: 'object',
        properties: { seconds: { type: 'number', minimum: 0, maximum: 3_600, default: 10 } },
      },
    },
    async ({ seconds = 10 }, ctx) => {
      await delay(seconds * 1_000, undefined, { signal: ctx.signal });
      return `Waited for ${seconds} s.`;
    },
  );

  server.tool(
    'log',
    {
      title: 'Log',
      description: 'Sends a log message of each level, of which the client gets what it asked for.',
      annotations: { readOnlyHint: true, openWorldHint: false },
      input: { type: 'object', properties: { message: { type: 'string', default: 'Something happened' } } },
    },
    ({ message = 'Something happened' }, ctx) => {
      ctx.log('debug', { message, detail: { level: 'lowest' } }, 'demo');
      ctx.log('info', message, 'demo');
      ctx.log('warning', message, 'demo');
      ctx.log('error', message);
      return 'Logged four messages.';
    },
  );
}
