/** Ids of every type and size, in every method: an id comes back as it was. */

import { isRecord, type RequestId } from '../../../jsonrpc/message.js';
import { type Check, check, ownCheck } from '../../check.js';
import type { Probe } from '../../probe.js';
import { isAnswer, outcomeOf, type WireReply } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';
import { cheapMethod, sendMessage } from '../expect.js';
import { badRequests, goodRequests, type MethodCall } from '../methods.js';

/** Larger than any buffer of a pipe, and legal as part of an id. */
const LONG_ID_LENGTH = 300_000;

export const idChecks: readonly Check[] = [
  check('005', async (probe) => {
    const session = await probe.session();
    const ids = [
      '7',
      7,
      'a "quoted" id',
      -1,
      9007199254740991,
      4294967297,
      'Zażółć 🎉',
      '0',
      'null',
      'true',
      ' x ',
      'long-'.repeat(60),
    ];
    for (const id of ids) await one(probe, session, { method: cheapMethod(probe), params: {} }, id);
  }),
  // Numbers from 0, as most clients count; in the handshake era the first one opens the session.
  ownCheck('005', async (probe) => {
    const { session, greeting } = await probe.open({ ids: 'numbers', standalone: false });
    if (greeting !== undefined) judgeId(probe, 0, greeting);
    await everyMethod(probe, session, () => session.nextId());
    // Without sessions an id is free again once it was answered: the first number, in every method.
    if (probe.stateless) await everyMethod(probe, session, () => 0);
  }),
  ownCheck('005', async (probe) => {
    const { session } = await probe.open({ standalone: false });
    let count = 0;
    await everyMethod(probe, session, () => {
      count += 1;
      return -count * 1_000_003;
    });
    await everyMethod(probe, session, () => {
      count += 1;
      return 2 ** 53 - 1 - count;
    });
    await everyMethod(probe, session, () => {
      count += 1;
      return `${count}`;
    });
    judgeId(probe, '', await session.request(cheapMethod(probe), {}, { id: '' }));
  }),
  check('037', async (probe) => {
    const session = await probe.session();
    const id = 'x'.repeat(LONG_ID_LENGTH);
    const reply = await session.request(cheapMethod(probe), {}, { id });
    const same = reply.kind !== 'silence' && reply.kind !== 'broken' && reply.message.id === id;
    probe.judge(
      '037',
      same || reply.kind === 'error',
      `A request whose answer is larger than ${LONG_ID_LENGTH / 1000} kB: ${outcomeOf(reply)}`,
      'the whole answer',
      {
        kind: reply.kind,
        sent: `${reply.sent.slice(0, 200)}...`,
        received: reply.received.slice(0, 400),
      },
    );
  }),
  check('002', async (probe) => {
    const session = await probe.session();
    for (const id of [null, true, {}, []]) {
      const message = { jsonrpc: '2.0', id, method: cheapMethod(probe), params: session.complete({}) };
      const reply = await sendMessage(session, message, probe.settings.quietMs);
      probe.judge(
        '002',
        reply.kind !== 'result',
        `A request with id ${JSON.stringify(id)} was answered with a result`,
        'error -32600, or no answer',
        reply,
      );
    }
  }),
];

async function everyMethod(probe: Probe, session: ValidatorSession, next: () => RequestId): Promise<void> {
  for (const call of [...goodRequests(probe), ...subscribing(probe), ...badRequests(probe)])
    await one(probe, session, call, next());
}

/** In the handshake era: a subscription that is ended at once. */
function subscribing(probe: Probe): readonly MethodCall[] {
  const { resources: declared } = probe.catalogue.capabilities;
  const [resource] = probe.catalogue.resources;
  if (probe.stateless || resource === undefined || !isRecord(declared) || declared.subscribe !== true)
    return [];
  const params = { uri: resource.uri };
  return ['resources/subscribe', 'resources/unsubscribe'].map((method) => ({ method, params }));
}

async function one(probe: Probe, session: ValidatorSession, call: MethodCall, id: RequestId): Promise<void> {
  const before = session.inbox.length;
  const reply = await session.request(call.method, call.params, { id });
  const silent =
    reply.kind === 'silence' && session.inbox.slice(before).every(({ value }) => !isAnswer(value));
  // What is not answered under another id either is slow, or not served: no fault of the id.
  if (silent) {
    const control = await session.request(call.method, call.params, { id: `plumb-control-${String(id)}` });
    if (control.kind === 'silence') return probe.skip('005', `${call.method} was not answered`);
  }
  judgeId(probe, id, reply);
}

function judgeId(probe: Probe, id: RequestId, reply: WireReply): void {
  const same = reply.kind !== 'silence' && reply.kind !== 'broken' && reply.message.id === id;
  probe.judge(
    '005',
    same,
    `The id ${JSON.stringify(id)} did not come back unchanged`,
    `"id": ${JSON.stringify(id)}`,
    reply,
  );
}
