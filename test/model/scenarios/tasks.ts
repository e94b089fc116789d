/**
 * A task ends with its own result, or as failed with the reason where its node has died. It is then the same for every
 * node and at any later time, and nobody waits for it in vain.
 */

// Servers load these on first use, which would take a moment of real time.
import '../../../src/server/tasks/core-tasks.js';
import '../../../src/server/tasks/task-service.js';

import type { Server } from '../../../src/server/index.js';
import { type Message, ModelClient } from '../client.js';
import type { Scenario } from '../schedule.js';
import type { World } from '../world.js';

const WORK_MS = 400;
/** Tasks are done when they are looked at for the second time, in the ordinary course. */
const POLL_MS = 450;
const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

/** A task does not depend on those of another client: few worlds have two. */
export function tasks(seed = 0): Scenario {
  const isFull = seed % 4 === 0;
  const clients: ModelClient[] = [];
  const violations: string[] = [];
  let world: World | undefined;
  return {
    name: 'tasks',
    furnish: (server: Server) => {
      const input = { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] } as const;
      server.tool('work', { task: 'optional', input }, async ({ who }) => {
        await world?.steps.delay(WORK_MS);
        return `done for ${who}`;
      });
    },
    prepare: async (given) => {
      world = given;
      const streams = isFull ? 1 : 0;
      for (let index = 0; index < (isFull ? 2 : 1); index += 1)
        clients.push(new ModelClient(given, `client${index}`, () => undefined, { streams }));
      await Promise.all(clients.map((client) => client.open()));
    },
    live: async ({ steps }) => {
      await Promise.all(
        clients.map(async (client) => {
          const params = { name: 'work', arguments: { who: client.name }, task: { ttl: 600_000 } };
          let taskId = idOf(await client.call('tools/call', params));
          // The tool failed where Redis was away for too long to begin a task.
          while (taskId === undefined) taskId = idOf(await client.call('tools/call', params));
          let status = statusOf(await client.call('tasks/get', { taskId }));
          while (!ENDED.has(status)) {
            await steps.delay(POLL_MS);
            status = statusOf(await client.call('tasks/get', { taskId }));
          }
          if (status === 'completed') {
            const { result } = await client.call('tasks/result', { taskId });
            const text = textOf(result);
            if (text !== `done for ${client.name}`) violations.push(`${client.name} got ${String(text)}`);
          } else if (status !== 'failed') violations.push(`the task of ${client.name} is ${String(status)}`);
          const later = statusOf(await client.call('tasks/get', { taskId }));
          if (later !== status)
            violations.push(`the task of ${client.name} was ${String(status)} and became ${String(later)}`);
        }),
      );
    },
    violations: () => violations,
  };
}

function idOf({ result }: Message): unknown {
  const task: unknown = result?.task;
  return typeof task === 'object' && task !== null && 'taskId' in task ? task.taskId : undefined;
}

function statusOf({ result }: Message): unknown {
  return result?.status;
}

function textOf(result: Message['result']): unknown {
  const content: unknown = result?.content;
  return Array.isArray(content) ? content[0]?.text : undefined;
}
