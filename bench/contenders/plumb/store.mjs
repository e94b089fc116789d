import { ECHO, echo } from '../../workload.mjs';
import { importServer, importStore } from './dist.mjs';

/** @param {{ redis?: string, progress: boolean }} serving */
export async function serve({ redis, progress }) {
  const { createServer } = await importServer();
  const { createMemoryStore, createRedisStore } = await importStore();
  const store = redis === undefined ? createMemoryStore() : await createRedisStore(redis);
  const server = createServer({ name: 'plumb', version: '1.0.0', http: { store } });
  server.tool(ECHO.name, { description: ECHO.description, input: ECHO.inputSchema }, (args, ctx) => {
    if (progress) ctx.progress(1, 2);
    return echo(/** @type {Parameters<typeof echo>[0]} */ (args));
  });
  const { url } = await server.http({ port: 0 });
  return { url };
}
