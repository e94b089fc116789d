/** JSON-RPC: ids, errors and notifications. */

import { INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR } from '../../../jsonrpc/codes.js';
import { type Check, check } from '../../check.js';
import type { Probe } from '../../probe.js';
import { cheapMethod, expectError, expectResult, sendMessage, stillAnswers } from '../expect.js';

export const messageChecks: readonly Check[] = [
  check('005', async (probe) => {
    const session = await probe.session();
    for (const id of ['7', 7, 0, 'a "quoted" id', -1, 9007199254740991]) {
      const reply = await session.request(cheapMethod(probe), {}, { id });
      const same = reply.kind !== 'silence' && reply.kind !== 'broken' && reply.message.id === id;
      probe.judge(
        '005',
        same,
        `The id ${JSON.stringify(id)} did not come back unchanged`,
        `"id": ${JSON.stringify(id)}`,
        reply,
      );
    }
  }),
  check('002', async (probe) => {
    const session = await probe.session();
    const message = { jsonrpc: '2.0', id: null, method: cheapMethod(probe), params: session.complete({}) };
    const reply = await sendMessage(session, message, probe.settings.quietMs);
    const ok = reply.kind !== 'result';
    probe.judge(
      '002',
      ok,
      'A request with id null was answered with a result',
      'error -32600, or no answer',
      reply,
    );
  }),
  check('008', async (probe) => {
    // A session of its own: on the shared one a late answer to an earlier request would pass for one to this.
    const { session } = await probe.open();
    const before = session.inbox.length;
    const delivery = await session.notify('notifications/plumb/unknown', { hello: 'there' });
    await session.quiet(probe.settings.quietMs);
    const answers = session.inbox
      .slice(before)
      .filter(
        ({ value, stream }) => isAnswerTo(value) && (delivery === undefined || stream === delivery.stream),
      );
    const refusedOverHttp = delivery !== undefined && delivery.status >= 400;
    probe.judge(
      '008',
      answers.length === 0 || refusedOverHttp,
      'A notification was answered',
      'no response at all',
      {
        sent: 'notifications/plumb/unknown',
        received: answers.map(({ text }) => text).join('\n'),
      },
    );
    await alive(probe, '008');
  }),
  check('009', async (probe) => {
    const session = await probe.session();
    expectError(
      probe,
      '009',
      await session.request('plumb/no-such-method'),
      [METHOD_NOT_FOUND],
      'Unknown method',
    );
  }),
  check('010', async (probe) => {
    const session = await probe.session();
    const cases: [string, string, Record<string, unknown>][] = [
      ['tools', 'tools/call', {}],
      ['prompts', 'prompts/get', {}],
      ['resources', 'resources/read', {}],
    ];
    for (const [capability, method, params] of cases) {
      if (!probe.declares(capability)) continue;
      // Over HTTP a missing name is also a missing header; a server may well look there first.
      const codes =
        probe.stateless && probe.transport === 'http' ? [INVALID_PARAMS, -32020] : [INVALID_PARAMS];
      expectError(
        probe,
        '010',
        await session.request(method, params, { hostile: true }),
        codes,
        `${method} without its parameters`,
      );
    }
    probe.skip('010', 'the server has no method with required parameters');
  }),
  check('011', async (probe) => {
    const session = await probe.session();
    const reply = await session.exchange('{"jsonrpc": "2.0", "id": 1, "method": ', unread, {
      hostile: true,
      timeoutMs: Math.min(probe.settings.timeoutMs, probe.settings.quietMs * 6),
      headers: session.headersFor(cheapMethod(probe), session.complete({})),
    });
    expectError(probe, '011', reply, [PARSE_ERROR], 'Text that is no JSON');
    await alive(probe, '011');
  }),
  check('012', async (probe) => {
    const session = await probe.session();
    const id = session.nextId();
    const reply = await sendMessage(session, { jsonrpc: '2.0', id }, probe.settings.quietMs * 2);
    expectError(probe, '012', reply, [INVALID_REQUEST], 'An object that is no request');
    await alive(probe, '012');
  }),
  check('013', async (probe) => {
    const session = await probe.session();
    for (const message of [
      { jsonrpc: '2.0', id: session.nextId(), method: 'plumb/no-such-method', params: session.complete({}) },
      { jsonrpc: '2.0', id: session.nextId(), method: 17 },
    ]) {
      const reply = await sendMessage(session, message, probe.settings.quietMs * 2);
      if (reply.kind !== 'error') continue;
      const same = reply.message.id === message.id;
      probe.judge(
        '013',
        same,
        'An error without the id that could be read',
        `"id": ${JSON.stringify(message.id)}`,
        reply,
      );
    }
  }),
  check('018', async (probe) => {
    const session = await probe.session();
    const params = { plumbUnknown: { deep: [1, 2, 3] } };
    const method = probe.declares('tools') ? 'tools/list' : cheapMethod(probe);
    expectResult(
      probe,
      '018',
      await session.request(method, params, { meta: { 'com.example/unknown': 1 } }),
      'Unknown fields in params',
    );
  }),
];

function unread(message: Record<string, unknown>): boolean {
  return message.id === null || message.id === undefined || message.id === 1;
}

function isAnswerTo(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('result' in value || 'error' in value);
}

/** What a server does not survive is its own finding, whatever it answered before. */
async function alive(probe: Probe, id: string): Promise<void> {
  const session = await probe.session();
  const reply = await stillAnswers(probe, session);
  if (reply.kind === 'result') return;
  probe.fail(id, 'The server no longer answers afterwards', {
    sent: reply.sent,
    received: reply.received,
    expected: 'the connection goes on',
  });
}
