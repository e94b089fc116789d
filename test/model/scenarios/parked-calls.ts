/**
 * A call that asks its client something waits for an answer that may come to any node. It ends with the answer that
 * was given, once, or with an error that says to call again; it never hangs.
 */

import type { Server } from '../../../src/server/index.js';
import { ModelClient } from '../client.js';
import type { Scenario } from '../schedule.js';

export interface ParkedCallsOptions {
  /** Of the world: chooses how many clients it has. */
  readonly seed?: number;
  /** No question comes twice, which holds while Redis is away for less than the time that operations wait. */
  readonly once: boolean;
}

/** A call does not depend on those of another client, nor on the other stream of its own. */
export function parkedCalls({ seed = 0, once }: ParkedCallsOptions): Scenario {
  const isFull = seed % 4 === 0;
  const answers = new Map<string, unknown>();
  const asked = new Map<string, number>();
  const clients: ModelClient[] = [];
  return {
    name: 'parked calls',
    furnish: (server: Server) => {
      server.tool('ask', {}, async (_args, ctx) => {
        const answer = await ctx.elicit('Who are you?', {
          type: 'object',
          properties: { name: { type: 'string' } },
          required: ['name'],
        });
        return answer.action === 'accept' ? String(answer.content.name) : 'nobody';
      });
    },
    prepare: async (world) => {
      for (let index = 0; index < (isFull ? 2 : 1); index += 1) {
        const name = `client${index}`;
        clients.push(
          new ModelClient(
            world,
            name,
            ({ method, id }) => {
              if (method === 'elicitation/create') asked.set(String(id), (asked.get(String(id)) ?? 0) + 1);
            },
            { streams: isFull ? 1 : 0 },
          ),
        );
      }
      await Promise.all(clients.map((client) => client.open()));
    },
    live: async () => {
      await Promise.all(
        clients.map(async (client) => {
          const ask = async (): Promise<void> => {
            const { result } = await client.call('tools/call', { name: 'ask', arguments: {} });
            // The tool failed where Redis was away for too long to ask.
            if (result?.isError === true) return ask();
            answers.set(client.name, textOf(result));
          };
          await ask();
        }),
      );
    },
    violations: () => [
      ...[...answers]
        .filter(([name, answer]) => answer !== name)
        .map(([name, answer]) => `${name} got ${answer}`),
      ...[...asked]
        .filter(([, times]) => once && times > 1)
        .map(([id, times]) => `the question ${id} was asked ${times} times`),
    ],
  };
}

function textOf(result: Readonly<Record<string, unknown>> | undefined): unknown {
  const content: unknown = result?.content;
  return Array.isArray(content) ? content[0]?.text : undefined;
}
