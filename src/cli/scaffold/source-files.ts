/** The TypeScript files of a new project. */

import type { ScaffoldChoices } from './choices.js';

export function serverFile({ name, features }: ScaffoldChoices): string {
  const parts = [
    `import { createServer, type Server } from 'plumb-mcp/server';
import { z } from 'zod';

const note = z.object({ id: z.number().int(), text: z.string() });
type Note = z.infer<typeof note>;

/** A server with notes in memory. Each call makes a new one, which is what tests want. */
export function createNotesServer(): Server {
  const notes: Note[] = [];
  const server = createServer({ name: ${text(name)}, version: '0.1.0' });

  server.tool(
    'add_note',
    {
      description: 'Saves a note and returns its number',
      input: z.object({ text: z.string().min(1).describe('What to remember') }),
      output: note,
      annotations: { readOnlyHint: false, destructiveHint: false },
    },
    ({ text }) => {
      const added = { id: notes.length + 1, text };
      notes.push(added);${features.includes('resources') ? `\n      server.resourceUpdated('notes://all');` : ''}
      return added;
    },
  );

  server.tool(
    'search_notes',
    {
      description: 'Finds the notes that contain a text',
      input: z.object({ query: z.string().default('').describe('Empty: all notes') }),
      output: z.object({ notes: z.array(note) }),
      annotations: { readOnlyHint: true },
    },
    ({ query }) => ({ notes: notes.filter(({ text }) => text.includes(query)) }),
  );
`,
  ];
  if (features.includes('resources')) {
    parts.push(`
  const mimeType = 'application/json';
  server.resource('notes://all', { name: 'all notes', description: 'Every note', mimeType }, () =>
    JSON.stringify(notes),
  );
  server.resource('notes://{id}', { name: 'note', description: 'One note', mimeType }, ({ variables }) => {
    const found = notes.find(({ id }) => String(id) === variables.id);
    // Undefined: there is no such resource.
    return found === undefined ? undefined : JSON.stringify(found);
  });
`);
  }
  if (features.includes('prompts')) {
    parts.push(`
  server.prompt(
    'summarize_notes',
    {
      description: 'Asks for a summary of all notes',
      input: z.object({ style: z.enum(['short', 'detailed']).default('short') }),
    },
    ({ style }) =>
      \`Write a \${style} summary of these notes:\\n\${notes.map(({ text }) => \`- \${text}\`).join('\\n')}\`,
  );
`);
  }
  parts.push(`
  return server;
}
`);
  return parts.join('');
}

export function mainFile({ transport, auth }: ScaffoldChoices): string {
  if (transport === 'stdio') {
    return `#!/usr/bin/env node
import { createNotesServer } from './server.ts';

// stdout belongs to the protocol: write logs with console.error.
await createNotesServer().stdio();
`;
  }
  return `#!/usr/bin/env node
${auth ? "import { bearer } from 'plumb-mcp/auth';\n" : ''}import { createNotesServer } from './server.ts';

const server = createNotesServer();

if (process.argv.includes('--stdio')) {
  // For clients that start the server themselves; stdout belongs to the protocol then.
  await server.stdio();
} else {
  const port = Number(process.env.PORT ?? 3000);
  const host = process.env.HOST ?? '127.0.0.1';
${
  auth
    ? `  // What clients connect to; tokens must have been issued for it.
  const resource = process.env.RESOURCE ?? \`http://127.0.0.1:\${port}/mcp\`;
  const issuer = process.env.ISSUER;
  if (issuer === undefined) {
    console.error('ISSUER is not set; set it to the URL of your authorization server');
    process.exit(2);
  }
  const auth = bearer({ issuer, audience: resource });
  const allowedHosts = [new URL(resource).host];
  const { url } = await server.http({ port, host, auth, allowedHosts });
`
    : `  // Other hosts than loopback have to be named: requests for any other are refused.
  const allowedHosts = process.env.ALLOWED_HOSTS?.split(',');
  const { url } = await server.http({ port, host, ...(allowedHosts === undefined ? {} : { allowedHosts }) });
`
}  console.error(\`Listening at \${url}\`);
}
`;
}

export function testFile({ features }: ScaffoldChoices): string {
  return `import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createTestClient } from 'plumb-mcp/testing';
import { createNotesServer } from './server.ts';

test('finds a note that was added', async (t) => {
  const client = await createTestClient(createNotesServer());
  t.after(() => client.close());
  await client.call('add_note', { text: 'buy milk' });
  const found = await client.value('search_notes', { query: 'milk' });
  assert.deepEqual(found, { notes: [{ id: 1, text: 'buy milk' }] });
});
${
  features.includes('resources')
    ? `
test('serves each note as a resource', async (t) => {
  const client = await createTestClient(createNotesServer());
  t.after(() => client.close());
  await client.call('add_note', { text: 'buy milk' });
  const { contents } = await client.read('notes://1');
  assert.match(JSON.stringify(contents), /buy milk/);
});
`
    : ''
}${
  features.includes('prompts')
    ? `
test('puts the notes into its prompt', async (t) => {
  const client = await createTestClient(createNotesServer());
  t.after(() => client.close());
  await client.call('add_note', { text: 'buy milk' });
  const { messages } = await client.prompt('summarize_notes', { style: 'short' });
  assert.match(JSON.stringify(messages), /buy milk/);
});
`
    : ''
}
test('names in its manifest the tools that it has', async (t) => {
  const client = await createTestClient(createNotesServer());
  t.after(() => client.close());
  const manifest: { tools: { name: string }[] } = JSON.parse(
    readFileSync(new URL('../manifest.json', import.meta.url), 'utf8'),
  );
  const tools = await client.tools();
  assert.deepEqual(
    manifest.tools.map(({ name }) => name),
    tools.map(({ name }) => name),
  );
});
`;
}

function text(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
