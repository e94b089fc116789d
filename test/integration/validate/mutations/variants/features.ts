/** Variants: tools, resources, prompts, completion and logging. */

import { isRecord, type JsonObject } from '../../../../../src/jsonrpc/message.js';
import { result, returned, tool, without } from '../change.js';
import type { Mutation } from '../harness.js';
import { failure, hears, instead, m, paramsOf, to } from './pieces.js';

const schema = (change: (given: JsonObject) => unknown): Partial<Mutation> =>
  tool('echo', (given) => ({
    ...given,
    inputSchema: change(isRecord(given.inputSchema) ? given.inputSchema : {}),
  }));
const property = (value: unknown): Partial<Mutation> =>
  schema((given) => ({ ...given, properties: { text: value } }));
const named = (name: unknown): Partial<Mutation> => tool('echo', (given) => ({ ...given, name }));
const content = (...blocks: readonly JsonObject[]): Partial<Mutation> =>
  returned('echo', (given) => ({ ...given, content: blocks }));

export const FEATURE_VARIANTS: readonly Mutation[] = [
  m(
    '098',
    'an inputSchema that is a list',
    schema(() => []),
  ),
  m('098', 'an inputSchema without a type', { revision: 2, ...schema((given) => without(given, 'type')) }),
  m('098', 'a numeric name', { revision: 4, ...named(7) }),
  m('098', 'tools are null', {
    revision: 1,
    ...result('tools/list', (given) => ({ ...given, tools: null })),
  }),
  m('099', 'a pattern that is none', property({ type: 'string', pattern: '(' })),
  m('099', 'required is a text', { revision: 4, ...schema((given) => ({ ...given, required: 'text' })) }),
  m(
    '099',
    'a reference to nothing',
    schema((given) => ({ ...given, properties: { text: { $ref: '#/$defs/none' } } })),
  ),
  m('099', 'a minimum that is a text', { revision: 4, ...property({ type: 'number', minimum: 'one' }) }),
  m('100', 'a name of 129 characters', named('x'.repeat(129))),
  m('100', 'an empty name', { revision: 4, ...named('') }),
  m('100', 'a name with an accent', named('écho')),
  m('102', 'prompts change without the capability', {
    revision: 3,
    out: (given, asked) => {
      const { result: greeting } = given;
      if (asked?.method === 'initialize' && isRecord(greeting) && isRecord(greeting.capabilities))
        return { ...given, result: { ...greeting, capabilities: { ...greeting.capabilities, prompts: {} } } };
      if (asked?.method !== 'tools/list') return given;
      return [{ jsonrpc: '2.0', method: 'notifications/prompts/list_changed' }, given];
    },
  }),
  m(
    '103',
    'names are compared without case',
    hears((request) =>
      request.method === 'tools/call'
        ? { ...request, params: { ...paramsOf(request), name: String(paramsOf(request).name).toLowerCase() } }
        : request,
    ),
  ),
  m('103', 'unknown tools are failures of the tool', {
    revision: 3,
    ...to('tools/call', (given) =>
      'error' in given ? { jsonrpc: '2.0', id: given.id, result: { content: [], isError: true } } : given,
    ),
  }),
  m(
    '103',
    'names of properties are internal errors',
    instead(
      (request) => request.method === 'tools/call' && String(paramsOf(request).name) in {},
      () => failure(-32603),
    ),
  ),
  m('104', 'failures get a code of their own', {
    revision: 2,
    ...to('tools/call', (given, asked) =>
      asked.params.name === 'fail' ? { jsonrpc: '2.0', id: given.id, ...failure(-32000) } : given,
    ),
  }),
  m(
    '104',
    'failures are bad parameters',
    to('tools/call', (given, asked) =>
      asked.params.name === 'fail' ? { jsonrpc: '2.0', id: given.id, ...failure(-32602) } : given,
    ),
  ),
  m('106', 'content is null', { revision: 2, ...returned('echo', (given) => ({ ...given, content: null })) }),
  m('106', 'a text that is a number', content({ type: 'text', text: 7 })),
  m('106', 'a resource without uri', {
    revision: 4,
    ...content({ type: 'resource', resource: { text: 'x' } }),
  }),
  m('106', 'a link without a name', content({ type: 'resource_link', uri: 'ref://text' })),
  m('106', 'a block without a type', { revision: 1, ...content({ text: 'x' }) }),
  m('106', 'isError is a text', {
    revision: 3,
    ...returned('echo', (given) => ({ ...given, isError: 'no' })),
  }),
  m(
    '107',
    'an image in the alphabet of URLs',
    content({ type: 'image', data: '_-8_', mimeType: 'image/png' }),
  ),
  m('107', 'an image as a data URI', {
    revision: 2,
    ...content({ type: 'image', data: 'data:image/png;base64,AAAA', mimeType: 'image/png' }),
  }),
  m('107', 'a mimeType without a slash', content({ type: 'audio', data: 'AAAA', mimeType: 'wav' })),
  m('108', 'structuredContent lacks a field', {
    revision: 3,
    ...returned('add', (given) => ({ ...given, structuredContent: {} })),
  }),
  m('110', 'the text is another', {
    revision: 4,
    ...returned('add', (given) => ({ ...given, content: [{ type: 'text', text: '{"sum":99}' }] })),
  }),
  m('111', 'structuredContent is a text', {
    revision: 3,
    ...returned('add', (given) => ({ ...given, structuredContent: 'three' })),
  }),
  m('114', 'taskSupport is true', {
    revision: 4,
    ...tool('echo', (given) => ({ ...given, execution: { taskSupport: true } })),
  }),
];
