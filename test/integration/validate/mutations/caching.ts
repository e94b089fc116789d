/** Mutations of a server: what the stateless era adds to features, and schemas. */

import { beside, result, tool, without } from './change.js';
import type { Mutation } from './harness.js';

let turn = 0;

export const CACHING: readonly Mutation[] = [
  {
    id: '382',
    name: 'a 2020-12 schema with a bad keyword',
    ...tool('echo', (given) => ({ ...given, inputSchema: { type: 'object', properties: 7 } })),
  },
  {
    id: '383',
    name: 'an unknown dialect',
    ...tool('echo', (given) => ({
      ...given,
      inputSchema: { $schema: 'https://example.com/dialect', type: 'object' },
    })),
  },
  {
    id: '268',
    name: 'x-mcp-header on a number',
    ...tool('route', (given) => ({
      ...given,
      inputSchema: { type: 'object', properties: { x: { type: 'number', 'x-mcp-header': 'X' } } },
    })),
  },
  {
    id: '268',
    name: 'x-mcp-header with a space',
    ...tool('route', (given) => ({
      ...given,
      inputSchema: { type: 'object', properties: { x: { type: 'string', 'x-mcp-header': 'a b' } } },
    })),
  },
  {
    id: '270',
    name: 'a password in a header',
    ...tool('route', (given) => ({
      ...given,
      inputSchema: { type: 'object', properties: { password: { type: 'string', 'x-mcp-header': 'P' } } },
    })),
  },
  {
    id: '298',
    name: 'unsolicited list_changed',
    ...beside('tools/call', { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }),
  },
  { id: '300', name: 'lists lack ttlMs', ...result('tools/list', (given) => without(given, 'ttlMs')) },
  { id: '300', name: 'a negative ttlMs', ...result('resources/read', (given) => ({ ...given, ttlMs: -1 })) },
  {
    id: '300',
    name: 'an unknown cacheScope',
    ...result('prompts/list', (given) => ({ ...given, cacheScope: 'everyone' })),
  },
  {
    id: '301',
    name: 'pages with different cacheScope',
    ...result('tools/list', (given) => ({ ...given, cacheScope: ++turn % 2 === 0 ? 'public' : 'private' })),
  },
];
