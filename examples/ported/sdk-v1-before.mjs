// A notes server as it is written with version 1 of the official SDK; sdk-v1-after.mjs is the same with Plumb.
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const notes = new Map([['welcome', 'Write something down.']]);
const server = new McpServer({ name: 'notes', version: '1.0.0' });

server.registerTool(
  'add_note',
  {
    title: 'Add a note',
    description: 'Writes a note down',
    inputSchema: { name: z.string().min(1), text: z.string() },
    annotations: { idempotentHint: true },
  },
  async ({ name, text }) => {
    notes.set(name, text);
    server.sendResourceListChanged();
    return { content: [{ type: 'text', text: `Noted ${name}.` }] };
  },
);

server.registerTool(
  'count_words',
  {
    description: 'Counts the words of a note',
    inputSchema: { name: z.string() },
    outputSchema: { words: z.number().int() },
  },
  async ({ name }) => {
    const text = notes.get(name);
    if (text === undefined)
      return { content: [{ type: 'text', text: `There is no note ${name}.` }], isError: true };
    const structuredContent = { words: text.split(/\s+/).length };
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  },
);

server.registerResource(
  'note',
  new ResourceTemplate('note:///{name}', {
    list: async () => ({
      resources: [...notes.keys()].map((name) => ({ uri: `note:///${name}`, name, mimeType: 'text/plain' })),
    }),
    complete: { name: (value) => [...notes.keys()].filter((name) => name.startsWith(value)) },
  }),
  { mimeType: 'text/plain' },
  async (uri, { name }) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: notes.get(String(name)) ?? '' }],
  }),
);

server.registerPrompt(
  'summarize',
  { description: 'Summarizes a note', argsSchema: { name: z.string() } },
  ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Summarize: ${notes.get(name) ?? ''}` } }],
  }),
);

await server.connect(new StdioServerTransport());
