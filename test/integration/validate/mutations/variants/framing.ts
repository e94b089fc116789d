/** Variants: batches, `_meta`, lines, and crashes. */

import { isRecord, type JsonObject } from '../../../../../src/jsonrpc/message.js';
import { without } from '../change.js';
import type { Mutation } from '../harness.js';
import { argumentsOf, COMPLETE, failure, m, to } from './pieces.js';

const response = (message: JsonObject): boolean => !('method' in message);
const notification = (message: JsonObject): boolean => !('id' in message) && 'method' in message;
const TEXT = { content: [{ type: 'text', text: 'x' }], ...COMPLETE };

/** Does something with arrays. */
const batches = (
  change: (members: readonly unknown[], say: (text: string) => void) => unknown,
): Partial<Mutation> => ({
  input: (message, say, text) => (Array.isArray(message) ? change(message, say) : text),
});

export const FRAMING_VARIANTS: readonly Mutation[] = [
  m(
    '014',
    'notifications in a batch are answered',
    batches((members, say) => {
      for (const member of members)
        if (isRecord(member) && notification(member)) say('{"jsonrpc":"2.0","id":null,"result":{}}');
      return members;
    }),
  ),
  m(
    '014',
    'a batch of one is refused',
    batches((members, say) => {
      if (members.length > 1) return members;
      say(JSON.stringify({ jsonrpc: '2.0', id: null, ...failure(-32600) }));
      return undefined;
    }),
  ),
  m(
    '014',
    'calls in a batch are dropped',
    batches((members) => members.filter((member) => !isRecord(member) || member.method !== 'tools/call')),
  ),
  m(
    '014',
    'requests after a notification are dropped',
    batches((members) =>
      members.some((member) => isRecord(member) && notification(member)) ? members.slice(0, 1) : members,
    ),
  ),
  m('015', 'initialize beside a ping is served', {
    input: (message, say, text) => {
      if (!Array.isArray(message) || message.length < 2) return text;
      const first: unknown = message.find((item) => isRecord(item) && item.method === 'initialize');
      if (!isRecord(first)) return text;
      say(
        JSON.stringify({
          jsonrpc: '2.0',
          id: first.id,
          result: {
            protocolVersion: '2025-03-26',
            capabilities: {},
            serverInfo: { name: 'x', version: '1' },
          },
        }),
      );
      return undefined;
    },
  }),
  m(
    '016',
    'a batch of responses is answered',
    batches((members, say) => {
      if (members.every((member) => isRecord(member) && response(member)))
        say(JSON.stringify([{ jsonrpc: '2.0', id: null, ...failure(-32600) }]));
      return members;
    }),
  ),
  m(
    '016',
    'a single notification in a batch is answered',
    batches((members, say) => {
      if (members.length === 1 && isRecord(members[0]) && notification(members[0])) say('[]');
      return members;
    }),
  ),
  m('017', 'batches of two are served', {
    revision: 4,
    ...batches((members) => (members.length === 2 ? members[0] : members)),
  }),
  m('017', 'batches of two are served in the third revision', {
    revision: 3,
    ...batches((members) => (members.length === 2 ? members[1] : members)),
  }),
  m('017', 'a batch makes the server deaf', {
    revision: 5,
    input: (message, _say, text, memory) => {
      if (Array.isArray(message)) memory.set('deaf', true);
      return memory.has('deaf') ? undefined : text;
    },
  }),
  m('019', 'a _meta key ends with a dot', {
    revision: 4,
    ...to('tools/list', (message) =>
      isRecord(message.result)
        ? { ...message, result: { ...message.result, _meta: { 'com.example/bad.': 1 } } }
        : message,
    ),
  }),
  m('019', 'a _meta prefix begins with a digit', {
    revision: 3,
    ...to('tools/list', (message) =>
      isRecord(message.result)
        ? { ...message, result: { ...message.result, _meta: { '1example/x': 1 } } }
        : message,
    ),
  }),
  m('020', 'mcp.dev is used in the third revision', {
    revision: 3,
    ...to('tools/list', (message) =>
      isRecord(message.result)
        ? { ...message, result: { ...message.result, _meta: { 'mcp.dev/x': 1 } } }
        : message,
    ),
  }),
  m('020', 'an own key in a content block', {
    revision: 4,
    ...to('tools/call', (message, asked) =>
      argumentsOf(asked).text !== undefined
        ? {
            ...message,
            result: { content: [{ type: 'text', text: 'x', _meta: { 'io.modelcontextprotocol/own': 1 } }] },
          }
        : message,
    ),
  }),
  m(
    '021',
    'missing prompts get -32040',
    to('prompts/get', (message) => ('error' in message ? { ...message, ...failure(-32040) } : message)),
  ),
  m(
    '022',
    'missing resources get -32300',
    to('resources/read', (message) => ('error' in message ? { ...message, ...failure(-32300) } : message)),
  ),
  m(
    '025',
    'calls lack resultType',
    to('tools/call', (message) =>
      isRecord(message.result) ? { ...message, result: without(message.result, 'resultType') } : message,
    ),
  ),
  m(
    '025',
    'resultType is final',
    to('prompts/list', (message) =>
      isRecord(message.result) ? { ...message, result: { ...message.result, resultType: 'final' } } : message,
    ),
  ),
  m(
    '028',
    'the server samples by request',
    to('tools/call', (message) => [
      {
        jsonrpc: '2.0',
        id: `s-${String(message.id)}`,
        method: 'sampling/createMessage',
        params: { messages: [], maxTokens: 1 },
      },
      message,
    ]),
  ),
  m('030', 'two messages on one line', {
    line: (text) => (text.includes('"prompts":[') ? [`${text}${text}`] : [text]),
  }),
  m('031', 'log lines in JSON', { line: (text) => ['{"level":"info","msg":"sent"}', text] }),
  m('031', 'empty lines', { line: (text) => [text, ''] }),
  m('031', 'a number on stdout', { line: (text) => ['42', text] }),
  m('031', 'a line on each call', {
    line: (text) => (text.includes('"content"') ? ['called a tool', text] : [text]),
  }),
  m('031', 'a byte order mark', { line: (text) => [`\ufeff${text}`] }),
  m('033', 'a byte order mark', { line: (text) => [`\ufeff${text}`] }),
  m('033', 'output in Latin-1', { line: (text) => [text.replace(/[^ -~]/g, '\ufffd')] }),
  m('408', 'lines end with a carriage return', { line: (text) => [`${text}\r`] }),
  m('409', 'a carriage return ruins a message', {
    input: (_message, _say, text) => (text.endsWith('\r') ? undefined : text),
  }),
  m('407', 'unknown methods end the server', {
    diesOf: (message) => isRecord(message) && String(message.method).includes('no-such'),
  }),
  m('407', 'text that is no JSON ends the server', {
    revision: 4,
    diesOf: (message) => message === undefined,
  }),
  m('407', 'arrays end the server', { revision: 3, diesOf: (message) => Array.isArray(message) }),
  m('407', 'a null id ends the server', { diesOf: (message) => isRecord(message) && message.id === null }),
  m('106', 'refusals of arguments lack content', {
    revision: 4,
    ...to('tools/call', (message) =>
      isRecord(message.result) && message.result.isError === true
        ? { ...message, result: { isError: true } }
        : message,
    ),
  }),
  m(
    '116',
    'null passes for any argument',
    to('tools/call', (message, asked) =>
      isRecord(message.result) &&
      message.result.isError === true &&
      Object.values(argumentsOf(asked)).includes(null)
        ? { ...message, result: TEXT }
        : message,
    ),
  ),
  m('116', 'required arguments may be missing', {
    revision: 2,
    ...to('tools/call', (message, asked) =>
      Object.keys(argumentsOf(asked)).length === 0 && ['echo', 'add'].includes(String(asked.params.name))
        ? { jsonrpc: '2.0', id: message.id, result: { content: [] } }
        : message,
    ),
  }),
];
