/** Variants: resources, prompts, completion, logging and caching. */

import { isRecord, type JsonObject } from '../../../../../src/jsonrpc/message.js';
import { error, first, notification, result, returned, tool, without } from '../change.js';
import type { Mutation } from '../harness.js';
import {
  CACHED,
  COMPLETE,
  failure,
  hears,
  instead,
  LOG_LEVEL,
  m,
  metaIn,
  metas,
  paramsOf,
  to,
} from './pieces.js';

const schema = (change: (given: JsonObject) => unknown): Partial<Mutation> =>
  tool('echo', (given) => ({
    ...given,
    inputSchema: change(isRecord(given.inputSchema) ? given.inputSchema : {}),
  }));
const content = (...blocks: readonly JsonObject[]): Partial<Mutation> =>
  returned('echo', (given) => ({ ...given, content: blocks }));
const listed = (change: (item: JsonObject) => unknown): Partial<Mutation> =>
  result('resources/list', (given) => ({ ...given, resources: first(given.resources, change) }));
const read = (change: (item: JsonObject) => unknown): Partial<Mutation> =>
  result('resources/read', (given) => ({ ...given, contents: first(given.contents, change) }));
const message = (change: (item: JsonObject) => unknown): Partial<Mutation> =>
  result('prompts/get', (given) => ({ ...given, messages: first(given.messages, change) }));
/** Serves a resource that is not there. */
const conjures = (
  fits: (uri: string) => boolean,
  contents: (uri: string) => readonly JsonObject[],
): Partial<Mutation> =>
  instead(
    (request) => request.method === 'resources/read' && fits(String(paramsOf(request).uri)),
    (request) => ({ result: { contents: contents(String(paramsOf(request).uri)), ...CACHED } }),
  );
const level = (change: (given: unknown) => unknown): Partial<Mutation> => ({
  revision: 4,
  ...hears((request) =>
    request.method === 'logging/setLevel'
      ? { ...request, params: { level: change(paramsOf(request).level) } }
      : request,
  ),
});
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const nobody = (uri: string): boolean => uri.startsWith('ref://') && uri.includes('no-such');
const UPDATE = 'notifications/resources/updated';

export const RESOURCE_VARIANTS: readonly Mutation[] = [
  m('119', 'a numeric name', { revision: 1, ...listed((item) => ({ ...item, name: 7 })) }),
  m('119', 'a template without a name', {
    revision: 4,
    ...result('resources/templates/list', (given) => ({
      ...given,
      resourceTemplates: first(given.resourceTemplates, (item) => without(item, 'name')),
    })),
  }),
  m('119', 'resources are an object', {
    revision: 2,
    ...result('resources/list', (given) => ({ ...given, resources: {} })),
  }),
  m(
    '120',
    'a text that is a number',
    read((item) => ({ ...item, text: 7 })),
  ),
  m('120', 'neither text nor blob', { revision: 4, ...read((item) => without(item, 'text', 'blob')) }),
  m('120', 'contents are missing', {
    revision: 2,
    ...result('resources/read', (given) => without(given, 'contents')),
  }),
  m(
    '121',
    'a blob in the alphabet of URLs',
    read((item) => ('blob' in item ? { ...item, blob: '_-8_' } : item)),
  ),
  m('122', 'a missing resource is an empty text', {
    revision: 4,
    ...conjures(nobody, (uri) => [{ uri, text: '' }]),
  }),
  m('122', 'a missing resource is an internal error', {
    revision: 3,
    ...error((given) => (given.code === -32002 ? { ...given, code: -32603 } : given)),
  }),
  m(
    '123',
    'a missing resource is its neighbour',
    conjures(nobody, () => [{ uri: 'ref://text', text: 'A text.' }]),
  ),
  m(
    '124',
    'a missing resource nearby is empty',
    conjures(nobody, () => []),
  ),
  m('126', 'subscribers are told nothing', { revision: 4, ...notification(UPDATE, () => undefined) }),
  m('126', 'subscribing returns something', {
    revision: 3,
    ...result('resources/subscribe', (given) => ({ ...given, subscribed: true })),
  }),
  m('126', 'updates name another resource', {
    revision: 4,
    ...notification(UPDATE, (params, given) => ({ ...given, params: { ...params, uri: 'ref://bytes' } })),
  }),
  m('127', 'unsubscribing changes nothing', {
    revision: 4,
    ...instead(
      (request) => request.method === 'resources/unsubscribe',
      () => ({ result: {} }),
    ),
  }),
  m(
    '129',
    'variables of templates lead outside',
    conjures(
      (uri) => uri.startsWith('ref://item/') && uri.includes('..'),
      (uri) => [{ uri, text: 'root:x:0:0:root:/root:/bin/sh' }],
    ),
  ),
  m('129', 'encoded dots lead outside', {
    revision: 3,
    ...conjures(
      (uri) => /%2e%2e/i.test(uri),
      (uri) => [{ uri, text: 'root:x:0:0:root:/root:/bin/sh' }],
    ),
  }),
  m('130', 'a link with a space', content({ type: 'resource_link', uri: 'ref://a b', name: 'x' })),
  m(
    '130',
    'a scheme with an underscore',
    listed((item) => ({ ...item, uri: 'my_ref://text' })),
  ),
  m('130', 'a broken escape', { revision: 3, ...listed((item) => ({ ...item, uri: 'ref://text%zz' })) }),
  m('131', 'a negative priority', {
    revision: 4,
    ...listed((item) => ({ ...item, annotations: { priority: -0.1 } })),
  }),
  m(
    '131',
    'lastModified is no date',
    listed((item) => ({ ...item, annotations: { lastModified: 'Jan 5 2026' } })),
  ),
  m('131', 'an audience that is a text', {
    revision: 3,
    ...listed((item) => ({ ...item, annotations: { audience: 'user' } })),
  }),
  m(
    '131',
    'a priority that is a text, on a block',
    content({ type: 'text', text: 'x', annotations: { priority: 'high' } }),
  ),
  m(
    '133',
    'names are compared without case',
    hears((request) =>
      request.method === 'prompts/get'
        ? { ...request, params: { ...paramsOf(request), name: String(paramsOf(request).name).toLowerCase() } }
        : request,
    ),
  ),
  m('133', 'unknown prompts get -32601', {
    revision: 3,
    ...to('prompts/get', (given) => ('error' in given ? { ...given, ...failure(-32601) } : given)),
  }),
  m('134', 'arguments may be left out altogether', {
    revision: 3,
    ...instead(
      (request) =>
        request.method === 'prompts/get' &&
        paramsOf(request).name === 'greet' &&
        paramsOf(request).arguments === undefined,
      () => ({ result: { messages: [] } }),
    ),
  }),
  m(
    '135',
    'a message of a tool',
    message((item) => ({ ...item, role: 'tool' })),
  ),
  m('135', 'content is a text', { revision: 3, ...message((item) => ({ ...item, content: 'x' })) }),
  m('135', 'messages are null', {
    revision: 2,
    ...result('prompts/get', (given) => ({ ...given, messages: null })),
  }),
  m('137', 'an embedded resource without contents', {
    revision: 3,
    ...message((item) => ({
      ...item,
      content: { type: 'resource', resource: { uri: 'ref://text', mimeType: 'text/plain' } },
    })),
  }),
  m('139', '150 values', {
    revision: 3,
    ...result('completion/complete', (given) => ({
      ...given,
      completion: { values: Array.from({ length: 150 }, (_, index) => `v${index}`) },
    })),
  }),
  m(
    '140',
    'an unknown template succeeds',
    instead(
      (request) =>
        request.method === 'completion/complete' &&
        JSON.stringify(paramsOf(request).ref).includes('ref/resource'),
      () => ({ result: { completion: { values: [] }, ...COMPLETE } }),
    ),
  ),
  m('140', 'an unknown kind of reference succeeds', {
    revision: 3,
    ...instead(
      (request) =>
        request.method === 'completion/complete' &&
        !/ref\/(prompt|resource)/.test(JSON.stringify(paramsOf(request).ref)),
      () => ({ result: { completion: { values: [] } } }),
    ),
  }),
  m('146', 'a bad cursor of resources is the beginning', {
    revision: 3,
    ...to('resources/list', (given) =>
      'error' in given ? { jsonrpc: '2.0', id: given.id, result: { resources: [] } } : given,
    ),
  }),
  m(
    '149',
    'messages of the level itself are lost',
    level((given) => LEVELS[LEVELS.indexOf(String(given)) + 1] ?? given),
  ),
  m(
    '149',
    'messages one below the level come',
    level((given) => LEVELS[LEVELS.indexOf(String(given)) - 1] ?? given),
  ),
  m('149', 'the level is kept from the first time', {
    revision: 3,
    input: (request, say, text, memory) => {
      if (
        !isRecord(request) ||
        request.method !== 'logging/setLevel' ||
        !LEVELS.includes(String(paramsOf(request).level))
      )
        return text;
      if (!memory.has('set')) {
        memory.set('set', true);
        return text;
      }
      say(JSON.stringify({ jsonrpc: '2.0', id: request.id, result: {} }));
      return undefined;
    },
  }),
  m(
    '150',
    'levels are compared without case',
    level((given) => (typeof given === 'string' ? given.toLowerCase() : given)),
  ),
  m(
    '150',
    'warn is a level',
    level((given) => (given === 'warn' ? 'warning' : given)),
  ),
  m('150', 'numbers are levels', {
    ...level((given) => (typeof given === 'number' ? 'debug' : given)),
    revision: 2,
  }),
  m('151', 'levels are numbers', {
    revision: 4,
    ...notification('notifications/message', (params, given) => ({
      ...given,
      params: { ...params, level: 3 },
    })),
  }),
  m(
    '152',
    'messages below the level come',
    metas((meta) =>
      LOG_LEVEL in meta && meta[LOG_LEVEL] !== 'loud' ? { ...meta, [LOG_LEVEL]: 'debug' } : meta,
    ),
  ),
  m(
    '152',
    'messages come without a level',
    metas((meta) => ({ [LOG_LEVEL]: 'debug', ...meta })),
  ),
  m(
    '154',
    'bad levels are ignored',
    metas((meta) => (LEVELS.includes(String(meta[LOG_LEVEL])) ? meta : without(meta, LOG_LEVEL))),
  ),
  m(
    '154',
    'levels are compared without case',
    metas((meta) =>
      typeof meta[LOG_LEVEL] === 'string' ? { ...meta, [LOG_LEVEL]: meta[LOG_LEVEL].toLowerCase() } : meta,
    ),
  ),
  m(
    '300',
    'ttlMs has a fraction',
    result('tools/list', (given) => ({ ...given, ttlMs: 0.5 })),
  ),
  m(
    '300',
    'templates lack cacheScope',
    result('resources/templates/list', (given) => without(given, 'cacheScope')),
  ),
  m(
    '300',
    'what is read lacks both',
    result('resources/read', (given) => without(given, 'cacheScope', 'ttlMs')),
  ),
  m(
    '300',
    'ttlMs is null',
    result('resources/list', (given) => ({ ...given, ttlMs: null })),
  ),
  m(
    '301',
    'the second page is public',
    to('resources/list', (given, asked) =>
      isRecord(given.result)
        ? {
            ...given,
            result: { ...given.result, cacheScope: asked.params.cursor === undefined ? 'private' : 'public' },
          }
        : given,
    ),
  ),
  m(
    '268',
    'two headers of one name',
    tool('route', (given) => ({
      ...given,
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'string', 'x-mcp-header': 'X' },
          b: { type: 'string', 'x-mcp-header': 'x' },
        },
      },
    })),
  ),
  m(
    '268',
    'a header inside items',
    tool('route', (given) => ({
      ...given,
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'X' } } },
      },
    })),
  ),
  m(
    '268',
    'an empty header name',
    tool('route', (given) => ({
      ...given,
      inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': '' } } },
    })),
  ),
  m('383', 'a dialect that is no URL', {
    revision: 4,
    ...schema((given) => ({ ...given, $schema: 'draft-next' })),
  }),
  m('406', 'a prompt argument without a name', {
    revision: 2,
    ...result('prompts/list', (given) => ({
      ...given,
      prompts: first(given.prompts, (item) => ({ ...item, arguments: [{}] })),
    })),
  }),
  m('406', 'a description that is a list', {
    revision: 3,
    ...result('prompts/list', (given) => ({
      ...given,
      prompts: first(given.prompts, (item) => ({ ...item, description: [] })),
    })),
  }),
  m('406', 'nextCursor is null', {
    revision: 1,
    ...result('prompts/list', (given) => ({ ...given, nextCursor: null })),
  }),
  m('018', 'calls are refused for an unknown hint', {
    revision: 4,
    ...instead(
      (request) =>
        request.method === 'tools/list' &&
        Object.keys(metaIn(request)).length > 0 &&
        !('progressToken' in metaIn(request)),
      () => failure(-32602),
    ),
  }),
];
