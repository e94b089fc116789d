// Middleware sees calls of both directions, in every revision: node examples/middleware.mjs
import { connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';

const server = createServer({ name: 'guarded', version: '1.0.0' });
server.tool('greet', { description: 'Greets' }, () => 'hello');
server.tool('drop_tables', { description: 'Dangerous' }, () => 'dropped');

server.use(async (call, next) => {
  const result = await next();
  console.log(`${call.direction} ${call.method}`);
  return result;
});

// Hidden from the list, and refused when called by name all the same.
server.use('tools/*', async (call, next) => {
  if (call.method === 'tools/call' && call.params.name === 'drop_tables') {
    return { content: [{ type: 'text', text: 'Not allowed' }], isError: true };
  }
  const result = await next();
  if (!Array.isArray(result.tools)) return result;
  return { ...result, tools: result.tools.filter((tool) => tool.name !== 'drop_tables') };
});

const client = await connect(server);
console.log((await client.tools.list()).map((tool) => tool.name).join(' '));
console.log(JSON.stringify((await client.tools.call('drop_tables')).content));
await client.close();
