import { isRecord, type JsonObject } from '../../../src/jsonrpc/message.js';
import {
  answering,
  beside,
  capability,
  code,
  error,
  first,
  notification,
  pardon,
  result,
  returned,
  tool,
  without,
} from './change.js';
import type { Mutation } from './harness.js';

const text = (value: string): JsonObject => ({ type: 'text', text: value });
let turn = 0;

export const FEATURES: readonly Mutation[] = [
  {
    id: '092',
    name: 'progress tokens are objects',
    ...notification('notifications/progress', (params, message) => ({
      ...message,
      params: { ...params, progressToken: {} },
    })),
  },
  {
    id: '093',
    name: 'progress for an unknown token',
    ...notification('notifications/progress', (params, message) => ({
      ...message,
      params: { ...params, progressToken: 'made-up' },
    })),
  },
  {
    id: '094',
    name: 'progress stands still',
    ...notification('notifications/progress', (params, message) => ({
      ...message,
      params: { ...params, progress: 1 },
    })),
  },
  {
    id: '094',
    name: 'progress goes down',
    revision: 3,
    ...notification('notifications/progress', (params, message) => ({
      ...message,
      params: { ...params, progress: -Number(params.progress) },
    })),
  },
  {
    id: '095',
    name: 'progress after the response',
    out: (message, asked) =>
      asked?.params.name === 'count' && isRecord(asked.params._meta)
        ? [
            message,
            {
              jsonrpc: '2.0',
              method: 'notifications/progress',
              params: { progressToken: asked.params._meta.progressToken, progress: 99 },
            },
          ]
        : message,
  },
  { id: '097', name: 'tools are not declared', ...capability((given) => without(given, 'tools')) },
  { id: '098', name: 'a tool has no inputSchema', ...tool('echo', (given) => without(given, 'inputSchema')) },
  {
    id: '098',
    name: 'an inputSchema of type string',
    ...tool('echo', (given) => ({ ...given, inputSchema: { type: 'string' } })),
  },
  {
    id: '098',
    name: 'an inputSchema that is null',
    revision: 1,
    ...tool('echo', (given) => ({ ...given, inputSchema: null })),
  },
  { id: '098', name: 'a tool has no name', revision: 3, ...tool('echo', (given) => without(given, 'name')) },
  {
    id: '099',
    name: 'an inputSchema that is no schema',
    ...tool('echo', (given) => ({
      ...given,
      inputSchema: { type: 'object', properties: { text: { type: 'banana' } } },
    })),
  },
  {
    id: '099',
    name: 'an outputSchema that is no schema',
    revision: 4,
    ...tool('add', (given) => ({ ...given, outputSchema: { type: 'object', required: 'sum' } })),
  },
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
    id: '100',
    name: 'a tool name with a space',
    ...tool('echo', (given) => ({ ...given, name: 'echo it' })),
  },
  { id: '100', name: 'two tools of one name', ...tool('add', (given) => ({ ...given, name: 'echo' })) },
  {
    id: '101',
    name: 'list changes are kept secret',
    revision: 4,
    ...notification('notifications/tools/list_changed', () => undefined),
  },
  {
    id: '102',
    name: 'list_changed without the capability',
    revision: 4,
    ...capability((given) => ({ ...given, tools: {} })),
  },
  {
    id: '103',
    name: 'unknown tools get -32603',
    ...error((given, asked) =>
      asked?.params.name === 'plumb_no_such_tool' ? { ...given, code: -32603 } : given,
    ),
  },
  {
    id: '103',
    name: 'unknown tools succeed',
    ...answering(
      (message) => isRecord(message.params) && message.params.name === 'plumb_no_such_tool',
      () => ({ result: { resultType: 'complete', content: [] } }),
    ),
  },
  {
    id: '104',
    name: 'failures are JSON-RPC errors',
    out: (message, asked) =>
      asked?.params.name === 'fail' && isRecord(message.result)
        ? { jsonrpc: '2.0', id: message.id, error: { code: -32603, message: 'It failed.' } }
        : message,
  },
  {
    id: '105',
    name: 'bad arguments are JSON-RPC errors',
    out: (message, asked) =>
      asked?.method === 'tools/call' && isRecord(message.result) && message.result.isError === true
        ? { jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'bad' } }
        : message,
  },
  {
    id: '116',
    name: 'bad arguments are accepted',
    out: (message, asked) =>
      asked?.method === 'tools/call' && isRecord(message.result) && message.result.isError === true
        ? { ...message, result: { resultType: 'complete', content: [] } }
        : message,
  },
  {
    id: '106',
    name: 'content is an object',
    ...returned('echo', (given) => ({ ...given, content: text('x') })),
  },
  {
    id: '106',
    name: 'content is missing',
    revision: 3,
    ...returned('echo', (given) => without(given, 'content')),
  },
  {
    id: '106',
    name: 'an unknown block type',
    ...returned('echo', (given) => ({ ...given, content: [{ type: 'video', data: '' }] })),
  },
  {
    id: '106',
    name: 'links to the second revision',
    revision: 2,
    ...returned('echo', (given) => ({
      ...given,
      content: [{ type: 'resource_link', uri: 'ref://text', name: 'x' }],
    })),
  },
  {
    id: '106',
    name: 'audio to the first revision',
    revision: 1,
    ...returned('echo', (given) => ({
      ...given,
      content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }],
    })),
  },
  {
    id: '106',
    name: 'a text block without text',
    ...returned('echo', (given) => ({ ...given, content: [{ type: 'text' }] })),
  },
  {
    id: '107',
    name: 'an image that is no base64',
    ...returned('image', (given) => ({
      ...given,
      content: [{ type: 'image', data: '***', mimeType: 'image/png' }],
    })),
  },
  {
    id: '107',
    name: 'an image without mimeType',
    revision: 4,
    ...returned('image', (given) => ({ ...given, content: [{ type: 'image', data: 'AAAA' }] })),
  },
  {
    id: '108',
    name: 'structuredContent breaks the schema',
    ...returned('add', (given) => ({ ...given, structuredContent: { sum: 'three' } })),
  },
  {
    id: '108',
    name: 'structuredContent is missing',
    revision: 4,
    ...returned('add', (given) => without(given, 'structuredContent')),
  },
  {
    id: '110',
    name: 'structuredContent is not repeated',
    ...returned('add', (given) => ({ ...given, content: [text('done')] })),
  },
  {
    id: '111',
    name: 'structuredContent is a list',
    revision: 4,
    ...returned('add', (given) => ({ ...given, structuredContent: [1] })),
  },
  { id: '112', name: 'lists are lost', ...returned('list', (given) => without(given, 'structuredContent')) },
  {
    id: '114',
    name: 'an unknown taskSupport',
    revision: 4,
    ...tool('echo', (given) => ({ ...given, execution: { taskSupport: 'maybe' } })),
  },
  { id: '118', name: 'resources are not declared', ...capability((given) => without(given, 'resources')) },
  {
    id: '119',
    name: 'a resource without a name',
    ...result('resources/list', (given) => ({
      ...given,
      resources: first(given.resources, (item) => without(item, 'name')),
    })),
  },
  {
    id: '119',
    name: 'a resource without a uri',
    revision: 2,
    ...result('resources/list', (given) => ({
      ...given,
      resources: first(given.resources, (item) => without(item, 'uri')),
    })),
  },
  {
    id: '119',
    name: 'a template without a uriTemplate',
    ...result('resources/templates/list', (given) => ({ ...given, resourceTemplates: [{ name: 'x' }] })),
  },
  {
    id: '120',
    name: 'contents with text and blob',
    ...result('resources/read', (given) => ({
      ...given,
      contents: first(given.contents, (item) => ({ ...item, text: 'x', blob: 'AAAA' })),
    })),
  },
  {
    id: '120',
    name: 'contents without uri',
    revision: 3,
    ...result('resources/read', (given) => ({
      ...given,
      contents: first(given.contents, (item) => without(item, 'uri')),
    })),
  },
  {
    id: '120',
    name: 'contents is an object',
    revision: 1,
    ...result('resources/read', (given) => ({ ...given, contents: {} })),
  },
  {
    id: '121',
    name: 'a blob that is no base64',
    ...result('resources/read', (given) => ({
      ...given,
      contents: first(given.contents, (item) => ('blob' in item ? { ...item, blob: '!!!' } : item)),
    })),
  },
  { id: '122', name: 'a missing resource gets -32602', revision: 4, ...code('resources/read', -32602) },
  {
    id: '122',
    name: 'a missing resource is empty',
    revision: 1,
    ...pardon('resources/read', { contents: [] }),
  },
  { id: '123', name: 'a missing resource gets -32002', ...code('resources/read', -32002) },
  {
    id: '124',
    name: 'a missing resource is empty',
    ...pardon('resources/read', { resultType: 'complete', contents: [], ttlMs: 0, cacheScope: 'private' }),
  },
  {
    id: '125',
    name: 'templates cannot be expanded',
    ...error((given, asked) =>
      String(asked?.params.uri).startsWith('ref://item') ? { ...given, code: -32603 } : given,
    ),
  },
  {
    id: '126',
    name: 'subscribing fails',
    revision: 4,
    ...answering(
      (message) => message.method === 'resources/subscribe',
      () => ({ error: { code: -32603, message: 'no' } }),
    ),
  },
  {
    id: '126',
    name: 'updates for everyone',
    revision: 4,
    ...beside('tools/call', {
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'ref://other' },
    }),
  },
  {
    id: '127',
    name: 'updates after unsubscribe',
    revision: 4,
    ...beside('tools/call', {
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'ref://text' },
    }),
  },
  {
    id: '127',
    name: 'unsubscribing fails',
    revision: 2,
    ...answering(
      (message) => message.method === 'resources/unsubscribe',
      () => ({ error: { code: -32601, message: 'no' } }),
    ),
  },
  {
    id: '128',
    name: 'subscribe works without the capability',
    revision: 4,
    ...capability((given) => ({ ...given, resources: {} })),
  },
  {
    id: '129',
    name: 'files outside can be read',
    ...answering(
      (message) => isRecord(message.params) && String(message.params.uri).includes('etc/passwd'),
      () => ({
        result: {
          resultType: 'complete',
          ttlMs: 0,
          cacheScope: 'private',
          contents: [{ uri: 'file:///etc/passwd', text: 'root:x:0:0' }],
        },
      }),
    ),
  },
  {
    id: '130',
    name: 'a resource with a path for a uri',
    ...result('resources/list', (given) => ({
      ...given,
      resources: first(given.resources, (item) => ({ ...item, uri: 'not a uri' })),
    })),
  },
  {
    id: '131',
    name: 'a priority of 7',
    ...result('resources/list', (given) => ({
      ...given,
      resources: first(given.resources, (item) => ({ ...item, annotations: { priority: 7 } })),
    })),
  },
  {
    id: '131',
    name: 'an audience of robots',
    revision: 3,
    ...result('resources/list', (given) => ({
      ...given,
      resources: first(given.resources, (item) => ({ ...item, annotations: { audience: ['robot'] } })),
    })),
  },
  { id: '132', name: 'prompts are not declared', ...capability((given) => without(given, 'prompts')) },
  { id: '133', name: 'unknown prompts get -32603', ...code('prompts/get', -32603) },
  {
    id: '133',
    name: 'unknown prompts succeed',
    ...pardon('prompts/get', { resultType: 'complete', messages: [] }),
  },
  {
    id: '134',
    name: 'missing arguments are accepted',
    ...pardon('prompts/get', { resultType: 'complete', messages: [] }),
  },
  {
    id: '135',
    name: 'a system message',
    ...result('prompts/get', (given) => ({
      ...given,
      messages: first(given.messages, (item) => ({ ...item, role: 'system' })),
    })),
  },
  {
    id: '135',
    name: 'content is a list',
    revision: 4,
    ...result('prompts/get', (given) => ({
      ...given,
      messages: first(given.messages, (item) => ({ ...item, content: [item.content] })),
    })),
  },
  {
    id: '137',
    name: 'an embedded resource without mimeType',
    ...returned('blocks', (given) => ({
      ...given,
      content: [{ type: 'resource', resource: { uri: 'ref://x', text: 'x' } }],
    })),
  },
  {
    id: '138',
    name: 'completions are not declared',
    ...capability((given) => without(given, 'completions')),
  },
  {
    id: '138',
    name: 'completions are declared and not served',
    revision: 4,
    ...answering(
      (message) => message.method === 'completion/complete',
      () => ({ error: { code: -32601, message: 'no' } }),
    ),
  },
  {
    id: '139',
    name: '101 completion values',
    ...result('completion/complete', (given) => ({
      ...given,
      completion: { values: Array.from({ length: 101 }, (_, index) => `v${index}`) },
    })),
  },
  {
    id: '140',
    name: 'a bad reference succeeds',
    ...pardon('completion/complete', { resultType: 'complete', completion: { values: [] } }),
  },
  { id: '140', name: 'a bad reference gets -32603', revision: 4, ...code('completion/complete', -32603) },
  {
    id: '146',
    name: 'a bad cursor gets the first page',
    ...pardon('tools/list', { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' }),
  },
  { id: '146', name: 'a bad cursor gets -32603', revision: 4, ...code('tools/list', -32603) },
  {
    id: '148',
    name: 'logging is not declared',
    revision: 4,
    ...capability((given) => without(given, 'logging')),
  },
  {
    id: '149',
    name: 'the level is ignored',
    revision: 4,
    ...beside('tools/call', {
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'debug', data: 'chatter' },
    }),
  },
  { id: '150', name: 'a bad level is accepted', revision: 4, ...pardon('logging/setLevel', {}) },
  {
    id: '151',
    name: 'an unknown log level',
    revision: 4,
    ...notification('notifications/message', (params, message) => ({
      ...message,
      params: { ...params, level: 'loud' },
    })),
  },
  {
    id: '151',
    name: 'a log message without data',
    revision: 2,
    ...notification('notifications/message', (params, message) => ({
      ...message,
      params: without(params, 'data'),
    })),
  },
  {
    id: '152',
    name: 'log messages that nobody asked for',
    ...beside('tools/call', {
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: 'chatter' },
    }),
  },
  {
    id: '153',
    name: 'log messages on a listen stream',
    ...notification('notifications/message', (params, message) => ({
      ...message,
      params: { ...params, _meta: { 'io.modelcontextprotocol/subscriptionId': 'x' } },
    })),
  },
  {
    id: '154',
    name: 'a bad logLevel is accepted',
    ...pardon('tools/list', { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' }),
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
