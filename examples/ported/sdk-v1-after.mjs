// The server of sdk-v1-before.mjs with Plumb: for clients of every revision, over stdio and HTTP.
import { createServer } from 'plumb-mcp/server';
import { z } from 'zod';

const notes = new Map([['welcome', 'Write something down.']]);
const server = createServer({ name: 'notes', version: '1.0.0' });

server.tool(
  'add_note',
  {
    title: 'Add a note',
    description: 'Writes a note down',
    input: z.object({ name: z.string().min(1), text: z.string() }),
    annotations: { idempotentHint: true },
  },
  ({ name, text }) => {
    notes.set(name, text);
    server.listChanged('resources');
    return `Noted ${name}.`;
  },
);

server.tool(
  'count_words',
  {
    description: 'Counts the words of a note',
    input: z.object({ name: z.string() }),
    output: z.object({ words: z.number().int() }),
  },
  // A result in the form of the protocol is served as it is, so that handlers can be taken over unchanged.
  ({ name }) => {
    const text = notes.get(name);
    if (text === undefined)
      return { content: [{ type: 'text', text: `There is no note ${name}.` }], isError: true };
    return { words: text.split(/\s+/).length };
  },
);

server.resource(
  'note:///{name}',
  {
    name: 'note',
    mimeType: 'text/plain',
    list: () => [...notes.keys()].map((name) => ({ uri: `note:///${name}`, name })),
    complete: { name: (value) => [...notes.keys()].filter((name) => name.startsWith(value)) },
  },
  ({ variables }) => notes.get(variables.name) ?? '',
);

server.prompt(
  'summarize',
  { description: 'Summarizes a note', input: z.object({ name: z.string() }) },
  ({ name }) => `Summarize: ${notes.get(name) ?? ''}`,
);

await server.stdio();
