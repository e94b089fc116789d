/** A tool for long work: a task where the client can have one, otherwise a call that takes its time. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '../../../server/index.js';

export function addLongTools(server: Server): void {
  server.tool(
    'render',
    {
      title: 'Render',
      description:
        'Pretends to render a film, scene by scene, as a task: the status shows how far it is. It may ask for a title first.',
      annotations: { readOnlyHint: true, openWorldHint: false },
      task: 'optional',
      input: {
        type: 'object',
        properties: {
          scenes: { type: 'integer', minimum: 1, maximum: 1_000, default: 5 },
          sceneMs: {
            type: 'integer',
            minimum: 0,
            maximum: 10_000,
            default: 500,
            description: 'Time for each scene.',
          },
          askTitle: { type: 'boolean', default: false, description: 'Ask for the title while it runs.' },
        },
      },
    },
    async ({ scenes = 5, sceneMs = 500, askTitle = false }, ctx) => {
      const title = askTitle ? await askForTitle(ctx) : 'Untitled';
      for (let scene = 1; scene <= scenes; scene += 1) {
        ctx.status(`Rendering scene ${scene} of ${scenes}`);
        await delay(sceneMs, undefined, { signal: ctx.signal });
        ctx.progress(scene, scenes, `Rendered scene ${scene} of ${scenes}`);
      }
      return `Rendered "${title}" in ${scenes} scene(s).`;
    },
  );
}

async function askForTitle(ctx: Parameters<Parameters<Server['tool']>[2]>[1]): Promise<string> {
  const form = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] } as const;
  const answer = await ctx.elicit('What is the title of the film?', form);
  return answer.action === 'accept' ? answer.content.title : 'Untitled';
}
