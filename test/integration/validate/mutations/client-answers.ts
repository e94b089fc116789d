/** Mutations of a client: what it answers when it is asked. */

import { isRecord } from '../../../../src/jsonrpc/message.js';
import { type ClientMutation, message, meta } from './client-harness.js';
import { answers, inRetry, isAnswer, NEW, never, OLD, PREFIX, params, without } from './client-pieces.js';

export const ANSWERS: readonly ClientMutation[] = [
  {
    id: '142',
    name: 'cursors are trimmed',
    in: ['paging-handshake'],
    ...message('tools/list', (given) =>
      typeof params(given).cursor === 'string'
        ? { ...given, params: { ...params(given), cursor: String(params(given).cursor).trim() } }
        : given,
    ),
  },
  {
    id: '143',
    name: 'stops after the second page',
    in: ['paging-stateless'],
    ...never((call) => params(call.message).cursor === ' Padded '),
  },
  {
    id: '145',
    name: 'an empty cursor is the end',
    in: ['paging-stateless'],
    ...never((call) => params(call.message).cursor === ''),
  },
  {
    id: '147',
    name: 'begins with an old cursor',
    in: ['paging-handshake'],
    ...message('tools/list', (given) =>
      params(given).cursor === undefined ? { ...given, params: { ...params(given), cursor: 'old' } } : given,
    ),
  },
  {
    id: '156',
    name: 'samples without declaring it',
    in: OLD,
    ...message('initialize', (given) => ({ ...given, params: { ...params(given), capabilities: {} } })),
  },
  {
    id: '158',
    name: 'sampling results lack a model',
    in: OLD,
    ...answers(
      (result) => 'model' in result,
      (result) => without(result, 'model'),
    ),
  },
  {
    id: '158',
    name: 'embedded sampling lacks a role',
    in: ['input-required'],
    ...inRetry((given) => ({
      ...given,
      inputResponses: {
        ...(isRecord(given.inputResponses) ? given.inputResponses : {}),
        model: { content: { type: 'text', text: 'x' }, model: 'm' },
      },
    })),
  },
  {
    id: '161',
    name: 'tools without sampling.tools are accepted',
    in: OLD,
    ...message(
      (call) => isAnswer(call) && call.message.id === 'plumb-7',
      (given) => ({
        ...without(given, 'error'),
        result: { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' },
      }),
    ),
  },
  {
    id: '164',
    name: 'mixed tool results are accepted',
    in: OLD,
    ...message(
      (call) => isAnswer(call) && call.message.id === 8,
      (given) => ({
        ...without(given, 'error'),
        result: { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' },
      }),
    ),
  },
  {
    id: '169',
    name: 'roots are answered and not declared',
    in: OLD,
    ...message('initialize', (given) => ({ ...given, params: { ...params(given), capabilities: {} } })),
  },
  {
    id: '170',
    name: 'roots over http',
    in: OLD,
    ...answers(
      (result) => 'roots' in result,
      () => ({ roots: [{ uri: 'http://example.com' }] }),
    ),
  },
  {
    id: '172',
    name: 'roots with listChanged',
    in: NEW,
    ...meta((given) => ({ ...given, [`${PREFIX}clientCapabilities`]: { roots: { listChanged: true } } })),
  },
  {
    id: '175',
    name: 'an undeclared mode is accepted',
    in: OLD,
    ...message('initialize', (given) => ({
      ...given,
      params: { ...params(given), capabilities: { elicitation: { form: {} } } },
    })),
  },
  {
    id: '176',
    name: 'a form without mode is refused',
    in: OLD,
    ...message(
      (call) => isAnswer(call) && call.message.id === 'plumb-5',
      (given) => ({ ...without(given, 'result'), error: { code: -32602, message: 'mode?' } }),
    ),
  },
  {
    id: '179',
    name: 'elicitation declares nothing known',
    in: OLD,
    ...message('initialize', (given) => ({
      ...given,
      params: { ...params(given), capabilities: { elicitation: { dialog: {} } } },
    })),
  },
  {
    id: '180',
    name: 'an unknown action',
    in: OLD,
    ...answers(
      (result) => 'action' in result,
      (result) => ({ ...result, action: 'ok' }),
    ),
  },
  {
    id: '180',
    name: 'content with decline',
    in: OLD,
    ...answers(
      (result) => 'action' in result,
      () => ({ action: 'decline', content: { name: 'x' } }),
    ),
  },
  {
    id: '181',
    name: 'an answer of a wrong type',
    in: OLD,
    ...answers(
      (result) => isRecord(result.content) && 'name' in result.content,
      (result) => ({ ...result, content: { name: 7 } }),
    ),
  },
  {
    id: '182',
    name: 'defaults are dropped',
    in: OLD,
    ...answers(
      (result) => isRecord(result.content) && 'name' in result.content,
      (result) => ({ ...result, content: {} }),
    ),
  },
  {
    id: '188',
    name: 'the URL is opened at once',
    in: OLD,
    send: (call) =>
      isAnswer(call) && call.message.id === 6
        ? { text: JSON.stringify({ ...call.message, result: { action: 'decline' } }) }
        : call,
    after: (call) =>
      call.message.method === 'tools/list' ? [{ url: new URL('/canary', call.url).href, method: 'GET' }] : [],
  },
];
