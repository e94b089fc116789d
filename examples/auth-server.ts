/**
 * A server that only people with a token may use. With a Keycloak realm, for instance:
 *   ISSUER=https://login.example.com/realms/demo RESOURCE=https://mcp.example.com/mcp node examples/auth-server.ts (Node 22.18+)
 */
import { bearer } from 'plumb-mcp/auth';
import { createServer } from 'plumb-mcp/server';

const issuer = process.env.ISSUER ?? 'http://localhost:8080/realms/demo';
const port = Number(process.env.PORT ?? 3400);
// What clients connect to, and what tokens for this server have as their audience.
const resource = process.env.RESOURCE ?? `http://127.0.0.1:${port}/mcp`;

const notes = new Map<string, string[]>();
const server = createServer({ name: 'notes', version: '1.0.0' });

server.tool('list_notes', { description: 'Your own notes' }, (_args, { caller }) => {
  return notes.get(caller.principal ?? '') ?? [];
});

const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

// Without this scope the call is refused, and a client that can ask its user gets it (step-up).
server.tool(
  'add_note',
  { description: 'Adds a note', scopes: ['notes:write'], input },
  ({ text }, { caller }) => {
    const own = notes.get(caller.principal ?? '') ?? [];
    notes.set(caller.principal ?? '', [...own, String(text)]);
    return `Now you have ${own.length + 1}`;
  },
);

const auth = bearer({ issuer, audience: resource, requiredScopes: ['notes:read'], resourceName: 'Notes' });
const { url } = await server.http({ port, auth, allowedHosts: [new URL(resource).host] });
console.log(`Listening at ${url}; try: plumb login ${resource}`);
