/** JSON-RPC: methods, params, notifications, and unknown fields. */

import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../../jsonrpc/codes.js';
import { isRecord, isRequestId, type JsonObject } from '../../../jsonrpc/message.js';
import { type Check, check, ownCheck } from '../../check.js';
import type { Probe } from '../../probe.js';
import { isAnswer } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';
import { expectError, expectResult, stillAnswers } from '../expect.js';
import { goodRequests } from '../methods.js';

/** Unknown in every revision: invented, misspelt, in capitals, and names that every object of a program has. */
const UNKNOWN_METHODS = [
  'plumb/no-such-method',
  'tools/lists',
  'tools/list/',
  'TOOLS/LIST',
  'tools',
  'constructor',
  '__proto__',
  'toString',
  'rpc.discover',
] as const;

export const messageChecks: readonly Check[] = [
  ownCheck('008', async (probe) => {
    // A session of its own: on the shared one a late answer to an earlier request would pass for one to this.
    const { session } = await probe.open();
    const notifications: [string, JsonObject][] = [
      ['notifications/plumb/unknown', { hello: 'there' }],
      ['notifications/progress', { progressToken: 'plumb-nobody', progress: 1 }],
      ['notifications/cancelled', { requestId: 'plumb-never-sent', reason: 'none' }],
      // Without an id every message is a notification, whatever its method.
      [probe.stateless ? 'server/discover' : 'ping', {}],
      ['tools/list', {}],
    ];
    if (!probe.stateless) notifications.push(['notifications/roots/list_changed', {}]);
    // Most servers answer none of them: one silence is enough then. Who answers is asked again, one by one.
    if (await silentlyAll(probe, session, notifications)) probe.pass('008');
    else for (const [method, params] of notifications) await silently(probe, session, method, params);
    await alive(probe, '008', session);
  }),
  check('009', async (probe) => {
    const session = await probe.session();
    for (const method of UNKNOWN_METHODS)
      expectError(
        probe,
        '009',
        await session.request(method),
        [METHOD_NOT_FOUND],
        `Unknown method ${method}`,
      );
  }),
  check('010', async (probe) => {
    const session = await probe.session();
    // Over HTTP a missing name is also a missing header; a server may well look there first.
    const codes = probe.stateless && probe.transport === 'http' ? [INVALID_PARAMS, -32020] : [INVALID_PARAMS];
    for (const [capability, method, params] of BAD_PARAMS) {
      if (!probe.declares(capability)) continue;
      const what = `${method} with ${JSON.stringify(params)}`;
      expectError(probe, '010', await session.request(method, params, { hostile: true }), codes, what);
    }
    for (const { method, params } of badArguments(probe)) {
      const reply = await session.request(method, params, { hostile: true });
      const refused = reply.kind === 'error' || (reply.kind === 'result' && reply.result.isError === true);
      const what = `${method} whose arguments are ${JSON.stringify(params.arguments)}`;
      probe.judge('010', refused, `${what} was served`, 'a refusal: arguments are an object', reply);
    }
    probe.skip('010', 'the server has no method with required parameters');
  }),
  check('018', async (probe) => {
    const session = await probe.session();
    const meta = { 'com.example/unknown': { deep: [1, 2, 3] } };
    for (const { method, params } of goodRequests(probe)) {
      const extended = { ...params, plumbUnknown: { deep: [1, 2, 3] } };
      expectResult(
        probe,
        '018',
        await session.request(method, extended, { meta }),
        `${method} with unknown fields in params`,
      );
    }
  }),
  ownCheck('018', async (probe) => {
    const capabilities = { plumbUnknown: { some: 'setting' }, experimental: { 'com.example/x': {} } };
    const clientInfo = { name: 'plumb-validate', version: '1', plumbUnknown: [1] };
    const { session, greeting } = await probe.open({ capabilities, clientInfo, standalone: false });
    const reply = greeting ?? (await session.request('server/discover'));
    expectResult(probe, '018', reply, 'Unknown capabilities and unknown fields of clientInfo');
  }),
];

const BAD_PARAMS: readonly (readonly [capability: string, method: string, params: JsonObject])[] = [
  ['tools', 'tools/call', {}],
  ['tools', 'tools/call', { name: 17 }],
  ['tools', 'tools/call', { name: null, arguments: {} }],
  ['prompts', 'prompts/get', {}],
  ['prompts', 'prompts/get', { name: {} }],
  ['resources', 'resources/read', {}],
  ['resources', 'resources/read', { uri: 17 }],
  ['completions', 'completion/complete', {}],
  ['completions', 'completion/complete', { ref: { type: 'ref/plumb' }, argument: { name: 'x', value: '' } }],
];

/** Of what may be called anyway: arguments that are no object. */
function badArguments(probe: Probe): readonly { readonly method: string; readonly params: JsonObject }[] {
  const [prompt] = probe.catalogue.prompts;
  const name = probe.goodCall?.params.name;
  return [
    ...(name === undefined ? [] : [{ method: 'tools/call', params: { name, arguments: [] } }]),
    ...(prompt === undefined
      ? []
      : [{ method: 'prompts/get', params: { name: prompt.name, arguments: 'x' } }]),
  ];
}

async function silentlyAll(
  probe: Probe,
  session: ValidatorSession,
  notifications: readonly (readonly [string, JsonObject])[],
): Promise<boolean> {
  const before = session.inbox.length;
  for (const [method, params] of notifications) await session.notify(method, params);
  await session.quiet(probe.settings.quietMs);
  return session.inbox.slice(before).every(({ value }) => !isAnswer(value));
}

async function silently(
  probe: Probe,
  session: ValidatorSession,
  method: string,
  params: JsonObject,
): Promise<void> {
  const before = session.inbox.length;
  const delivery = await session.notify(method, params);
  await session.quiet(probe.settings.quietMs);
  const answers = session.inbox.slice(before).filter(
    ({ value, stream }) =>
      isAnswer(value) &&
      // What answers a request, however late, does not answer the notification.
      !(isRecord(value) && isRequestId(value.id)) &&
      (delivery === undefined || stream === delivery.stream),
  );
  const refusedOverHttp = delivery !== undefined && delivery.status >= 400;
  probe.judge(
    '008',
    answers.length === 0 || refusedOverHttp,
    `The notification ${method} was answered`,
    'no response at all',
    // In a shared session it may be the late answer to something else.
    { sent: method, received: answers.map(({ text }) => text).join('\n'), timed: true },
  );
}

/** What a server does not survive is its own finding, whatever it answered before. */
export async function alive(probe: Probe, id: string, session: ValidatorSession): Promise<void> {
  const reply = await stillAnswers(probe, session);
  // A refusal is an answer too: that the server has no ping is another finding.
  if (reply.kind === 'result' || reply.kind === 'error') return;
  probe.fail(id, 'The server no longer answers afterwards', {
    sent: reply.sent,
    received: reply.received,
    expected: 'the connection goes on',
    timed: reply.kind === 'silence',
  });
}

/** Whether a value is a response, or an array with one. */
export function answersIn(value: unknown): readonly JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter(
    (item): item is JsonObject => isRecord(item) && ('result' in item || 'error' in item),
  );
}
