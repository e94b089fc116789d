/**
 * Work that takes long: a task for clients that have tasks, an ordinary call for the others.
 *
 *   plumb call render scenes=5 -- node examples/render/server.mjs
 */
import { setTimeout } from 'node:timers/promises';
import { createServer } from 'plumb-mcp/server';
import { z } from 'zod';

const SCENE_MS = Number(process.env.SCENE_MS ?? 500);
const server = createServer({ name: 'render', version: '1.0.0' });

server.tool(
  'render',
  {
    description: 'Renders a film, scene by scene',
    task: 'optional',
    input: z.object({ scenes: z.number().int().min(1).max(100).default(10) }),
    output: z.object({ scenes: z.number(), title: z.string() }),
  },
  async ({ scenes }, ctx) => {
    for (let scene = 1; scene <= scenes; scene += 1) {
      ctx.status(`Rendering scene ${scene} of ${scenes}`);
      ctx.progress(scene, scenes);
      // Ends at once when the task is cancelled, or its time to live is over.
      await setTimeout(SCENE_MS, undefined, { signal: ctx.signal });
    }
    const answer = await ctx.elicit('What is the title?', z.object({ title: z.string() }));
    return { scenes, title: answer.action === 'accept' ? answer.content.title : 'Untitled' };
  },
);

await server.stdio();
