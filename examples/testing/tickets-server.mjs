/** The server that the examples of this folder test. */

import { createServer, ToolError } from 'plumb-mcp/server';

export function createTicketServer() {
  const server = createServer({ name: 'tickets', version: '1.0.0' });
  /** @type {string[]} */
  const tickets = [];
  server.tool(
    'open',
    {
      description: 'Opens a ticket.',
      input: { type: 'object', properties: { title: { type: 'string', minLength: 1 } }, required: ['title'] },
      output: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    },
    ({ title }) => ({ id: tickets.push(title) }),
  );
  server.tool(
    'show',
    {
      description: 'Shows a ticket.',
      annotations: { readOnlyHint: true },
      input: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    },
    ({ id }) => {
      const title = tickets[id - 1];
      if (title === undefined) throw new ToolError(`There is no ticket ${id}`);
      return title;
    },
  );
  return server;
}
