/** Batches: accepted in one revision, refused in those after it. */

import { isRecord } from '../../../jsonrpc/message.js';
import { type Check, check } from '../../check.js';
import type { Probe } from '../../probe.js';
import type { Session } from '../../session/session.js';
import type { Entry } from '../../wire/recorder.js';
import { cheapMethod, stillAnswers } from '../expect.js';

export const batchChecks: readonly Check[] = [
  check('014', async (probe) => {
    const session = await probe.session();
    const ids = [session.nextId(), session.nextId()];
    const batch = JSON.stringify(ids.map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
    const { answers } = await sendBatch(probe, session, batch);
    const answered = ids.filter((id) => answers.some(({ value }) => has(value, id)));
    probe.judge(
      '014',
      answered.length === 2,
      `${answered.length} of 2 requests of a batch were answered`,
      'two results',
      {
        sent: batch,
        received: answers.map(({ text }) => text).join('\n') || '(nothing)',
      },
    );
  }),
  check('015', async (probe) => {
    const { session } = await probe.open({ handshake: 'none' });
    const request = {
      jsonrpc: '2.0',
      id: session.nextId(),
      method: 'initialize',
      params: { protocolVersion: probe.revision.version, capabilities: {}, clientInfo: session.clientInfo },
    };
    const batch = JSON.stringify([request]);
    const { answers } = await sendBatch(probe, session, batch);
    const accepted = answers.some(({ value }) =>
      (Array.isArray(value) ? value : [value]).some((item) => isRecord(item) && isRecord(item.result)),
    );
    probe.judge('015', !accepted, 'initialize inside a batch was accepted', 'an error', {
      sent: batch,
      received: answers.map(({ text }) => text).join('\n') || '(nothing)',
    });
  }),
  check('016', async (probe) => {
    // Alone: the late answer to an earlier call is no answer to the batch.
    const { session } = await probe.open();
    const batch = JSON.stringify([
      { jsonrpc: '2.0', method: 'notifications/plumb/one' },
      { jsonrpc: '2.0', method: 'notifications/plumb/two' },
    ]);
    const { answers, status } = await sendBatch(probe, session, batch);
    const ok = answers.length === 0 && (status === undefined || status === 202);
    probe.judge('016', ok, 'A batch of notifications was answered', 'nothing (HTTP 202 without a body)', {
      sent: batch,
      received: `${status === undefined ? '' : `HTTP ${status}\n`}${answers.map(({ text }) => text).join('\n')}`,
    });
  }),
  check('017', async (probe) => {
    // Alone: the late answer to an earlier call is no answer to the batch.
    const { session } = await probe.open();
    const id = session.nextId();
    const request = { jsonrpc: '2.0', id, method: cheapMethod(probe), params: session.complete({}) };
    const batch = JSON.stringify([request]);
    const { answers, status } = await sendBatch(probe, session, batch);
    const accepted = answers.some(({ value }) =>
      (Array.isArray(value) ? value : [value]).some((item) => isRecord(item) && isRecord(item.result)),
    );
    probe.judge('017', !accepted, 'A batch was served', 'an error (HTTP 400)', {
      sent: batch,
      received: `${status === undefined ? '' : `HTTP ${status}\n`}${answers.map(({ text }) => text).join('\n')}`,
    });
    const reply = await stillAnswers(probe, await probe.session());
    if (reply.kind !== 'result') {
      probe.fail('017', 'The server no longer answers after a batch', {
        ...reply,
        expected: 'the connection goes on',
      });
    }
  }),
];

async function sendBatch(
  probe: Probe,
  session: Session,
  batch: string,
): Promise<{ answers: readonly Entry[]; status: number | undefined }> {
  const before = session.inbox.length;
  const headers = session.headersFor(cheapMethod(probe), session.complete({}));
  const delivery = await session.connection.send(batch, { hostile: true, headers });
  await session.quiet(probe.settings.quietMs);
  const answers = session.inbox
    .slice(before)
    .filter(({ value }) => Array.isArray(value) || (isRecord(value) && !('method' in value)));
  return { answers, status: session.connection.kind === 'http' ? delivery?.status : undefined };
}

function has(value: unknown, id: string): boolean {
  const items = Array.isArray(value) ? value : [value];
  return items.some((item) => isRecord(item) && item.id === id && isRecord(item.result));
}
