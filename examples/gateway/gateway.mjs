/**
 * One endpoint for five servers, with a policy in front of all of them.
 *
 *   plumb chain examples/gateway/gateway.mjs --http 3000
 *   plumb list http://127.0.0.1:3000/mcp
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createChain } from 'plumb-mcp/chain';
import { audit, authorize, log, rateLimit, redact, responseSize, timeout } from 'plumb-mcp/middleware';
import { createServer } from 'plumb-mcp/server';

const WRITERS = new Set((process.env.WRITERS ?? '').split(',').filter(Boolean));
const folder = process.env.GATEWAY_FOLDER ?? mkdtempSync(join(tmpdir(), 'gateway-'));

// A server in the same process costs no process of its own.
const clock = createServer({ name: 'clock', version: '1.0.0' });
clock.tool('now', { description: 'The time', annotations: { readOnlyHint: true } }, () =>
  new Date().toISOString(),
);

/**
 * Reading is allowed to all callers, writing to those in WRITERS. What a caller may not use is not listed either.
 *
 * @type {Parameters<typeof authorize>[0]}
 */
const policy = ({ kind, name, caller }) =>
  kind !== 'tool' ||
  !/__(write|create|delete|edit|move|add)_/.test(name) ||
  WRITERS.has(caller.principal ?? '');

export default createChain({ name: 'gateway' })
  .use(log(), audit({ write: (line) => console.error(`audit ${line}`) }))
  .use(rateLimit({ perPrincipal: '100/min' }), timeout('30s'))
  .use(authorize(policy), redact(), responseSize('256KB'))
  .to({
    clock,
    files: installed('@modelcontextprotocol/server-filesystem/dist/index.js', folder),
    memory: { ...installed('@modelcontextprotocol/server-memory/dist/index.js'), isolate: 'principal' },
    // Slow and chatty ones get limits of their own.
    everything: {
      ...installed('@modelcontextprotocol/server-everything/dist/index.js'),
      include: ['echo', 'get-sum'],
    },
    render: { command: process.execPath, args: [beside('../render/server.mjs')], timeout: '5m' },
  });

/**
 * @param {string} module
 * @param {...string} args
 */
function installed(module, ...args) {
  return { command: process.execPath, args: [fileURLToPath(import.meta.resolve(module)), ...args] };
}

/** @param {string} file */
function beside(file) {
  return fileURLToPath(new URL(file, import.meta.url));
}
