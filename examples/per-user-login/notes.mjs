/** A server that knows no users: its notes belong to the process that started it. */
import { createServer } from 'plumb-mcp/server';
import { z } from 'zod';

/** @type {string[]} */
const notes = [];
const server = createServer({ name: 'notes', version: '1.0.0' });

server.tool('add_note', { description: 'Adds a note', input: z.object({ text: z.string() }) }, ({ text }) => {
  notes.push(text);
  return `You have ${notes.length}`;
});
server.tool(
  'list_notes',
  { description: 'Lists the notes', annotations: { readOnlyHint: true } },
  () => notes,
);

await server.stdio();
