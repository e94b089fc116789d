// A server in the manner of FastMCP, with Plumb: progress, errors for the user, images, logging, and prompts with choices.
import { createServer, image, ToolError } from 'plumb-mcp/server';
import { z } from 'zod';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const server = createServer({ name: 'downloads', version: '1.0.0', state: () => ({ user: 'guest' }) });

// FastMCP: new FastMCP({ authenticate }), and context.session in each tool.
server.use('tools/call', (call, next) => {
  call.state.user = call.caller.principal ?? 'guest';
  return next();
});

// FastMCP: server.addTool({ name: 'download', parameters, timeoutMs, execute: async (args, { reportProgress, log }) => ... })
server.tool(
  'download',
  {
    description: 'Downloads a file',
    input: z.object({ url: z.string().url() }),
    annotations: { readOnlyHint: true },
    timeout: 5000,
  },
  async ({ url }, ctx) => {
    if (!url.startsWith('https:')) throw new ToolError('Only https is allowed');
    ctx.log('info', `${ctx.state.user} downloads ${url}`);
    const size = await ctx.step('asking for the size', () => url.length);
    await ctx.step('reading', () => undefined);
    return `Downloaded ${size} bytes`;
  },
);

// FastMCP: return imageContent({ buffer })
server.tool('pixel', { description: 'The smallest picture' }, () => image(PIXEL, 'image/png'));

// FastMCP: server.addPrompt({ arguments: [{ name: 'style', enum: [...] }], load })
server.prompt(
  'commit',
  { description: 'Writes a commit message', input: z.object({ style: z.enum(['short', 'long']) }) },
  ({ style }) => `Write a ${style} commit message.`,
);

// FastMCP: server.addResource({ uri, load })
server.resource('log:///today', { name: 'log', mimeType: 'text/plain' }, () => 'Nothing happened.');

await server.stdio();
