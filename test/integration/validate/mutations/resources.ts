/** Mutations of a server: resources, prompts, completion and logging. */

import { isRecord } from '../../../../src/jsonrpc/message.js';
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
  without,
} from './change.js';
import type { Mutation } from './harness.js';

export const RESOURCES: readonly Mutation[] = [
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
];
