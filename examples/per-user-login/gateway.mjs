/**
 * A server without users, shared by many: the gateway checks who calls, and each user gets a process of their own.
 *
 *   ISSUER=https://login.example.com/realms/demo RESOURCE=https://mcp.example.com/mcp node examples/per-user-login/gateway.mjs
 *   plumb login https://mcp.example.com/mcp
 */
import { fileURLToPath } from 'node:url';
import { bearer } from 'plumb-mcp/auth';
import { createChain } from 'plumb-mcp/chain';
import { log, rateLimit } from 'plumb-mcp/middleware';

const port = Number(process.env.PORT ?? 3400);
const resource = process.env.RESOURCE ?? `http://127.0.0.1:${port}/mcp`;
const issuer = process.env.ISSUER ?? 'http://localhost:8080/realms/demo';
const notes = fileURLToPath(new URL('./notes.mjs', import.meta.url));

const gateway = createChain({ name: 'notes' })
  .use(log(), rateLimit({ perPrincipal: '60/min' }))
  // `principal`: one process for each user, started with the first call and ended when idle. The token of the user
  // stays here; the server behind never sees it.
  .to({ command: process.execPath, args: [notes], isolate: 'principal', maxProcesses: 50 });

const { url, close } = await gateway.http({
  port,
  auth: bearer({ issuer, audience: resource, requiredScopes: ['notes:read'] }),
  allowedHosts: [new URL(resource).host],
});
console.log(`Listening at ${url}; log in with: plumb login ${resource}`);

process.once('SIGTERM', async () => {
  await close({ drain: 5000 });
  await gateway.close();
});
