/** Mutations of a client: HTTP, headers, retries, and logging in. */

import { isRecord } from '../../../../src/jsonrpc/message.js';
import { type ClientMutation, header, message } from './client-harness.js';
import { inRetry, is, later, NEW, never, OLD, params, pretend, without } from './client-pieces.js';

export const TRANSPORT: readonly ClientMutation[] = [
  {
    id: '401',
    name: 'no fallback after an empty 400',
    in: ['fallback-empty-400'],
    ...never(is('initialize')),
  },
  {
    id: '192',
    name: 'posts to another path',
    in: ['old-transport'],
    send: (call) => (call.url.includes('/messages') ? { url: new URL('/elsewhere', call.url).href } : call),
  },
  {
    id: '233',
    name: 'does not try the old transport',
    in: ['fallback-old-transport'],
    ...never((call) => call.method === 'GET'),
  },
  { id: '198', name: 'accepts only JSON', in: OLD, ...header('accept', () => 'application/json') },
  { id: '198', name: 'accepts only streams', in: NEW, ...header('accept', () => 'text/event-stream') },
  {
    id: '199',
    name: 'GET accepts only JSON',
    in: OLD,
    ...header(
      'accept',
      () => 'application/json',
      (call) => call.method === 'GET',
    ),
  },
  {
    id: '203',
    name: 'stops at streams',
    in: ['event-streams'],
    send: (call, memory) => {
      if (later(call) && memory.has('stopped')) return undefined;
      if (later(call)) memory.set('stopped', true);
      return call;
    },
  },
  { id: '211', name: 'the session id is left out', in: OLD, ...header('mcp-session-id', () => undefined) },
  {
    id: '214',
    name: 'no new session after 404',
    in: ['session-lost'],
    send: (call, memory) => {
      if (call.message.method !== 'initialize') return call;
      if (memory.has('opened')) return undefined;
      memory.set('opened', true);
      return call;
    },
  },
  {
    id: '214',
    name: 'the new session carries the old id',
    in: ['session-lost'],
    ...header('mcp-session-id', () => 'old', is('initialize')),
  },
  { id: '215', name: 'sessions are not deleted', in: OLD, ...pretend((call) => call.method === 'DELETE') },
  { id: '217', name: 'no version header', in: OLD, ...header('mcp-protocol-version', () => undefined) },
  {
    id: '217',
    name: 'another version header',
    in: ['handshake-3'],
    ...header('mcp-protocol-version', () => '2025-11-25'),
  },
  {
    id: '223',
    name: 'lost streams are not resumed',
    in: ['resuming'],
    ...never((call) => call.method === 'GET'),
  },
  { id: '234', name: 'a session id in the stateless era', in: NEW, ...header('mcp-session-id', () => 'x') },
  { id: '248', name: 'Last-Event-ID in the stateless era', in: NEW, ...header('last-event-id', () => '1') },
  { id: '250', name: 'no Mcp-Method', in: NEW, ...header('mcp-method', () => undefined, later) },
  { id: '250', name: 'a wrong Mcp-Method', in: NEW, ...header('mcp-method', () => 'tools/call', later) },
  { id: '251', name: 'no Mcp-Name', in: NEW, ...header('mcp-name', () => undefined) },
  {
    id: '252',
    name: 'a raw Mcp-Name',
    in: ['mirrored-headers'],
    ...header('mcp-name', () => 'route', is('tools/call')),
  },
  {
    id: '258',
    name: 'no parameter headers',
    in: ['mirrored-headers'],
    ...header('mcp-param-region', () => undefined),
  },
  {
    id: '259',
    name: 'a header for an absent argument',
    in: ['mirrored-headers'],
    ...header('mcp-param-absent', () => 'null', is('tools/call')),
  },
  {
    id: '260',
    name: 'booleans as 1',
    in: ['mirrored-headers'],
    ...header('mcp-param-dry', () => '1', is('tools/call')),
  },
  {
    id: '261',
    name: 'text without encoding',
    in: ['mirrored-headers'],
    ...header('mcp-param-region', () => 'eu', is('tools/call')),
  },
  {
    id: '262',
    name: 'nested values are forgotten',
    in: ['mirrored-headers'],
    ...header('mcp-param-city', () => undefined, is('tools/call')),
  },
  {
    id: '263',
    name: 'tools with bad annotations are called',
    in: ['mirrored-headers'],
    ...message('tools/call', (given) => ({ ...given, params: { ...params(given), name: 'invalid_0' } })),
  },
  {
    id: '267',
    name: 'no second try after -32020',
    in: ['stale-schema'],
    send: (call, memory) => {
      if (memory.has('called') && /tools/.test(String(call.message.method))) return undefined;
      if (call.message.method === 'tools/call') memory.set('called', true);
      return call;
    },
  },
  {
    id: '280',
    name: 'one answer is missing',
    in: ['input-required'],
    ...inRetry((given) => ({
      ...given,
      inputResponses: isRecord(given.inputResponses) ? without(given.inputResponses, 'places') : {},
    })),
  },
  {
    id: '280',
    name: 'the retry is another call',
    in: ['input-required'],
    ...inRetry((given) => ({ ...given, arguments: { changed: true } })),
  },
  {
    id: '281',
    name: 'requestState is trimmed',
    in: ['input-required'],
    ...inRetry((given) => ({ ...given, requestState: 'state' })),
  },
  {
    id: '282',
    name: 'a requestState is made up',
    in: ['no-state'],
    ...inRetry((given) => ({ ...given, requestState: 'made up' })),
  },
  {
    id: '283',
    name: 'the retry has the old id',
    in: ['input-required'],
    ...message('tools/call', (given, memory) => {
      if (!memory.has('id')) memory.set('id', given.id);
      return { ...given, id: memory.get('id') };
    }),
  },
  {
    id: '284',
    name: 'state leaks into other calls',
    in: ['input-required'],
    ...message('resources/read', (given) => ({ ...given, params: { ...params(given), requestState: 'x' } })),
  },
  {
    id: '285',
    name: 'answers without questions',
    in: ['state-only'],
    ...inRetry((given) => ({ ...given, inputResponses: {} })),
  },
  {
    id: '358',
    name: 'the token is forgotten',
    in: ['authorization'],
    ...header(
      'authorization',
      (call) => (call.headers.authorization === undefined ? undefined : 'Bearer other'),
      (call) => call.message.method === 'tools/list' || call.message.method === 'server/discover',
    ),
  },
  {
    id: '360',
    name: 'the challenge is ignored',
    in: ['authorization'],
    ...never((call) => call.url.includes('/metadata/here')),
  },
  {
    id: '366',
    name: 'no PKCE',
    in: ['authorization'],
    send: (call) =>
      call.url.includes('/as/authorize') ? { url: call.url.replace(/code_challenge=[^&]*/, 'x=1') } : call,
  },
  {
    id: '367',
    name: 'plain PKCE',
    in: ['authorization'],
    send: (call) => (call.url.includes('/as/authorize') ? { url: call.url.replace('S256', 'plain') } : call),
  },
  {
    id: '368',
    name: 'no resource',
    in: ['authorization'],
    send: (call) =>
      call.url.includes('/as/authorize') ? { url: call.url.replace(/resource=[^&]*/, 'x=1') } : call,
  },
  {
    id: '371',
    name: 'no application_type',
    in: ['authorization'],
    send: (call) =>
      call.url.includes('/as/register')
        ? { text: JSON.stringify(without(call.message, 'application_type')) }
        : call,
  },
  {
    id: '378',
    name: 'no state',
    in: ['authorization'],
    send: (call) =>
      call.url.includes('/as/authorize') ? { url: call.url.replace(/state=[^&]*/, 'x=1') } : call,
  },
  {
    id: '379',
    name: 'a foreign redirect URI',
    in: ['authorization'],
    send: (call) =>
      call.url.includes('/as/register')
        ? { text: JSON.stringify({ ...call.message, redirect_uris: ['http://evil.example.com'] }) }
        : call,
  },
  {
    id: '384',
    name: 'references are fetched',
    in: ['traps'],
    after: (call) =>
      call.message.method === 'tools/list'
        ? [{ url: new URL('/canary/schema.json', call.url).href, method: 'GET' }]
        : [],
  },
  {
    id: '386',
    name: 'icons over http are loaded',
    in: ['traps'],
    after: (call) =>
      call.message.method === 'tools/list'
        ? [{ url: new URL('/canary/icon.png', call.url).href, method: 'GET', headers: {} }]
        : [],
  },
  {
    id: '387',
    name: 'icons are fetched with credentials',
    in: ['traps'],
    after: (call) =>
      call.message.method === 'tools/list'
        ? [
            {
              url: new URL('/canary/icon.png', call.url).href,
              method: 'GET',
              headers: { authorization: 'Bearer x' },
            },
          ]
        : [],
  },
  {
    id: '406',
    name: 'a read without uri',
    in: OLD,
    ...message('resources/read', (given) => ({ ...given, params: {} })),
  },
];
