/** Mutations of a server: progress and tools. */

import { isRecord, type JsonObject } from '../../../../src/jsonrpc/message.js';
import { answering, capability, error, notification, returned, tool, without } from './change.js';
import type { Mutation } from './harness.js';

const text = (value: string): JsonObject => ({ type: 'text', text: value });

export const TOOLS: readonly Mutation[] = [
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
];
