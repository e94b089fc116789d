/** Input that is no request: text that is no JSON, and JSON that is no message. */

import { INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR } from '../../../jsonrpc/codes.js';
import { type Check, ownCheck } from '../../check.js';
import type { Probe } from '../../probe.js';
import type { WireReply } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';
import { cheapMethod, expectError, sendMessage, stillAnswers } from '../expect.js';
import { alive } from './messages.js';

const NO_JSON = ['{"jsonrpc": "2.0", "id": 1, "method": ', 'plumb says hello', '{]', "{'jsonrpc': '2.0'}"];

export const malformedChecks: readonly Check[] = [
  ownCheck('011', async (probe) => {
    const session = await openStarted(probe);
    const refused: WireReply[] = [];
    for (const text of NO_JSON) {
      const reply = await unparsable(probe, session, text);
      expectError(probe, '011', reply, [PARSE_ERROR], `Text that is no JSON: ${text}`);
      refused.push(reply);
      // A server that is silent once is silent always, and every silence takes its time.
      if (reply.kind === 'silence') break;
    }
    await alive(probe, '011', session);
  }),
  ownCheck('012', async (probe) => {
    const session = await openStarted(probe);
    const valid = { method: cheapMethod(probe), params: session.complete({}) };
    const messages = [
      { jsonrpc: '2.0', id: session.nextId() },
      { jsonrpc: '2.0', id: session.nextId(), method: 17 },
      { jsonrpc: '2.0', id: session.nextId(), method: null },
      { jsonrpc: '1.0', id: session.nextId(), ...valid },
      { id: session.nextId(), ...valid },
      { jsonrpc: '2.0', id: session.nextId(), method: valid.method, params: 'none' },
    ];
    for (const message of messages) {
      const reply = await sendMessage(session, message, probe.settings.quietMs * 2);
      const { params, ...rest } = { params: {}, ...message };
      const shown = typeof params === 'string' ? { ...rest, params } : rest;
      expectError(
        probe,
        '012',
        reply,
        typeof params === 'string' ? [INVALID_REQUEST, INVALID_PARAMS] : [INVALID_REQUEST],
        `A message that is no request: ${JSON.stringify(shown)}`,
      );
      if (reply.kind === 'silence') break;
    }
    await alive(probe, '012', session);
  }),
  ownCheck('012', async (probe) => {
    const session = await openStarted(probe);
    for (const text of ['42', '"text"', 'null']) {
      const reply = await unparsable(probe, session, text);
      expectError(probe, '012', reply, [INVALID_REQUEST], `JSON that is no object: ${text}`);
      if (reply.kind === 'silence') break;
    }
    await alive(probe, '012', session);
  }),
  ownCheck('013', async (probe) => {
    const session = await openStarted(probe);
    const params = session.complete({});
    const number = 70_001;
    const messages = [
      { jsonrpc: '2.0', id: session.nextId(), method: 'plumb/no-such-method', params },
      { jsonrpc: '2.0', id: number, method: 'plumb/no-such-method', params },
      { jsonrpc: '2.0', id: session.nextId(), method: 17 },
      { jsonrpc: '2.0', id: session.nextId(), method: 'tools/call', params },
      { jsonrpc: '2.0', id: session.nextId(), method: 'tools/list', params: 'none' },
      { id: session.nextId(), method: 'tools/list', params },
    ];
    for (const message of messages) {
      const reply = await sendMessage(session, message, probe.settings.quietMs * 2);
      if (reply.kind !== 'error') continue;
      probe.judge(
        '013',
        reply.message.id === message.id,
        'An error without the id that could be read',
        `"id": ${JSON.stringify(message.id)}`,
        reply,
      );
    }
  }),
];

/** Without a handshake nothing has shown that the program runs: the time that it takes to start is not silence. */
async function openStarted(probe: Probe): Promise<ValidatorSession> {
  const { session } = await probe.open();
  if (session.stateless) await stillAnswers(probe, session);
  return session;
}

function unparsable(probe: Probe, session: ValidatorSession, text: string): Promise<WireReply> {
  return session.exchange(text, unread, {
    hostile: true,
    timeoutMs: Math.min(probe.settings.timeoutMs, probe.settings.quietMs * 6),
    headers: session.headersFor(cheapMethod(probe), session.complete({})),
  });
}

function unread(message: Record<string, unknown>): boolean {
  return message.id === null || message.id === undefined || message.id === 1;
}
