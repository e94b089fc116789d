/** subscriptions/listen. */

import { METHOD_NOT_FOUND } from '../../../jsonrpc/codes.js';
import { isRecord, type JsonObject, type RequestId } from '../../../jsonrpc/message.js';
import { META_SUBSCRIPTION_ID, MISSING_CAPABILITY } from '../../../protocol/index.js';
import { textOf } from '../../catalogue.js';
import { type Check, check, OVER_STDIO } from '../../check.js';
import type { Probe } from '../../probe.js';
import type { Session } from '../../session/session.js';
import type { Delivery } from '../../wire/connection.js';
import { LineConnection } from '../../wire/line-pipe.js';
import type { Entry } from '../../wire/recorder.js';

const GRACE_MS = 3_000;
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const FLAGS: Readonly<Record<string, [capability: string, notification: string]>> = {
  toolsListChanged: ['tools', 'notifications/tools/list_changed'],
  promptsListChanged: ['prompts', 'notifications/prompts/list_changed'],
  resourcesListChanged: ['resources', 'notifications/resources/list_changed'],
};

interface Listening {
  readonly session: Session;
  readonly id: RequestId;
  readonly delivery: Delivery | undefined;
  /** Every message of this subscription. */
  messages(): readonly Entry[];
}

async function listen(
  probe: Probe,
  session: Session,
  id: RequestId,
  notifications: JsonObject,
): Promise<Listening> {
  const params = session.complete({ notifications });
  const text = JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params });
  const delivery = await session.connection.send(text, {
    headers: session.headersFor('subscriptions/listen', params),
  });
  const messages = (): readonly Entry[] =>
    session.inbox.filter(({ value, stream }) =>
      delivery === undefined
        ? idOf(value) === id || (isRecord(value) && value.id === id)
        : stream === delivery.stream,
    );
  await session.waitFor(
    (message) => message.id === id || (message.method === ACKNOWLEDGED && idOf(message) === id),
    probe.settings.timeoutMs,
  );
  return { session, id, delivery, messages };
}

function idOf(message: unknown): unknown {
  const params = isRecord(message) && isRecord(message.params) ? message.params : {};
  return isRecord(params._meta) ? params._meta[META_SUBSCRIPTION_ID] : undefined;
}

async function end({ session, id, delivery }: Listening): Promise<void> {
  if (delivery === undefined) await session.notify('notifications/cancelled', { requestId: id });
  else delivery.abort();
}

function first(listening: Listening): JsonObject {
  const value = listening.messages()[0]?.value;
  return isRecord(value) ? value : {};
}

function toggles(probe: Probe): readonly JsonObject[] {
  return probe.tools.filter((tool) => /toggle|register/i.test(textOf(tool, 'name')));
}

const ALL = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

export const subscriptionChecks: readonly Check[] = [
  check('288 289 290 291 297', async (probe) => {
    const { session } = await probe.open();
    for (const id of ['plumb-listen', 5]) {
      const listening = await listen(probe, session, id, ALL);
      const message = first(listening);
      if (isRecord(message.error) && message.error.code === METHOD_NOT_FOUND) {
        for (const skipped of ['288', '289', '290', '291', '297'])
          probe.skip(skipped, 'the server offers nothing to listen to');
        return;
      }
      const received =
        listening
          .messages()
          .map(({ text }) => text)
          .join('\n') || '(nothing)';
      const evidence = { sent: `subscriptions/listen ${JSON.stringify(id)}`, received };
      const acknowledged = message.method === ACKNOWLEDGED;
      probe.judge(
        '288',
        acknowledged,
        'The first message of a subscription is no acknowledgement',
        ACKNOWLEDGED,
        evidence,
      );
      probe.judge('289', acknowledged, 'Something came before the acknowledgement', ACKNOWLEDGED, evidence);
      const given =
        isRecord(message.params) && isRecord(message.params.notifications)
          ? message.params.notifications
          : {};
      const granted = Object.entries(given).filter(([, value]) => value === true);
      const honest = granted.every(([flag]) => {
        const capability = probe.catalogue.capabilities[FLAGS[flag]?.[0] ?? ''];
        return flag in FLAGS && isRecord(capability) && capability.listChanged === true;
      });
      probe.judge(
        '290',
        acknowledged && honest,
        'The acknowledgement grants what the server does not declare',
        'only supported types that were requested',
        evidence,
      );
      const tagged = listening
        .messages()
        .every(({ value }) => (isRecord(value) && 'id' in value) || idOf(value) === id);
      probe.judge(
        '291',
        acknowledged && tagged,
        'A notification without the id of its subscription',
        `${META_SUBSCRIPTION_ID}: ${JSON.stringify(id)}`,
        evidence,
      );
      await end(listening);
      await session.quiet(30);
      const before = listening.messages().length;
      await callToggles(probe, session);
      const after = listening
        .messages()
        .slice(before)
        .filter(
          ({ value }) => isRecord(value) && 'method' in value && value.method !== 'notifications/cancelled',
        );
      probe.judge('297', after.length === 0, 'Notifications after the subscription was ended', 'nothing', {
        received: after.map(({ text }) => text).join('\n'),
      });
    }
  }),
  check('292 293 294 299', async (probe) => {
    const { session } = await probe.open();
    const { session: second } = probe.transport === 'stdio' ? { session } : await probe.open();
    const tools = await listen(probe, session, 'plumb-tools', { toolsListChanged: true });
    const other = await listen(probe, second, 'plumb-other', {
      toolsListChanged: true,
      resourceSubscriptions: ['plumb://never'],
    });
    const prompts = await listen(probe, second, 'plumb-prompts', { promptsListChanged: true });
    if (isRecord(first(tools).error) || toggles(probe).length === 0) {
      for (const id of ['292', '293', '299']) probe.skip(id, 'no callable tool changes a list');
    } else {
      await callToggles(probe, session);
      const got = (listening: Listening): readonly Entry[] =>
        listening
          .messages()
          .filter(({ value }) => isRecord(value) && value.method === FLAGS.toolsListChanged?.[1]);
      const evidence = {
        received:
          [tools, other]
            .flatMap(got)
            .map(({ text }) => text)
            .join('\n') || '(nothing)',
      };
      probe.judge(
        '293',
        got(tools).length > 0,
        'A change of tools was not delivered',
        FLAGS.toolsListChanged?.[1] ?? '',
        evidence,
      );
      probe.judge(
        '299',
        got(tools).length > 0 && got(other).length > 0,
        'Not every subscription got its own copy',
        'a copy for each, with its own id',
        evidence,
      );
      const strange = got(prompts);
      probe.judge(
        '292',
        strange.length === 0,
        'A type was delivered that was not requested',
        'only requested types',
        { received: strange.map(({ text }) => text).join('\n') },
      );
    }
    await callWriters(probe, session);
    const updates = [tools, other, prompts]
      .flatMap((listening) => listening.messages())
      .filter(({ value }) => isRecord(value) && value.method === 'notifications/resources/updated');
    probe.judge(
      '294',
      updates.length === 0,
      'An update for a resource that is not in the filter',
      'only listed URIs',
      { received: updates.map(({ text }) => text).join('\n') },
    );
    await Promise.all([tools, other, prompts].map(end));
  }),
  check('296', endsGracefully, OVER_STDIO),
  check('339', async (probe) => {
    const session = await probe.session();
    const extensions = probe.catalogue.capabilities.extensions;
    if (!isRecord(extensions) || !('io.modelcontextprotocol/tasks' in extensions))
      return probe.skip('339', 'the server has no tasks');
    const reply = await session.request(
      'subscriptions/listen',
      { notifications: { taskIds: ['x'] } },
      { meta: { 'io.modelcontextprotocol/clientCapabilities': {} } },
    );
    probe.judge(
      '339',
      reply.kind === 'error' && reply.code === MISSING_CAPABILITY,
      'taskIds without the extension were accepted',
      'error -32021',
      reply,
    );
  }),
];

/** A server that is asked to stop ends its listen streams with a response. */
async function endsGracefully(probe: Probe): Promise<void> {
  const { session } = await probe.open();
  const { connection } = session;
  const listening = await listen(probe, session, 'plumb-graceful', ALL);
  if (first(listening).method !== ACKNOWLEDGED) {
    return probe.skip('296', 'the server offers nothing to listen to');
  }
  if (!(connection instanceof LineConnection) || !connection.terminate()) {
    return probe.skip('296', 'this server cannot be asked to stop from outside');
  }
  const answer = await session.waitFor((message) => message.id === listening.id, GRACE_MS);
  if (answer === undefined && /was ended by/.test(connection.epitaph)) {
    return probe.skip('296', 'the server has no way to stop in order: it was ended by the signal');
  }
  const result = isRecord(answer?.value) && isRecord(answer.value.result) ? answer.value.result : {};
  const meta = isRecord(result._meta) ? result._meta : {};
  probe.judge(
    '296',
    result.resultType === 'complete' && meta[META_SUBSCRIPTION_ID] === listening.id,
    'The server stopped without ending its subscriptions',
    'a result with resultType complete and the subscriptionId',
    { sent: 'SIGTERM', received: answer?.text ?? connection.epitaph },
  );
}

async function callToggles(probe: Probe, session: Session): Promise<void> {
  for (const tool of toggles(probe).slice(0, 1)) {
    // Twice: the server is left as it was found.
    for (const _ of [1, 2])
      await session.request(
        'tools/call',
        { name: textOf(tool, 'name'), arguments: {} },
        { timeoutMs: 2_000 },
      );
  }
  await session.quiet(Math.min(150, probe.settings.quietMs));
}

async function callWriters(probe: Probe, session: Session): Promise<void> {
  for (const tool of probe.tools
    .filter((candidate) => /write|touch|update/i.test(textOf(candidate, 'name')))
    .slice(0, 2)) {
    const properties =
      isRecord(tool.inputSchema) && isRecord(tool.inputSchema.properties) ? tool.inputSchema.properties : {};
    const args = Object.fromEntries(
      Object.keys(properties).map((name) => [name, 'changed by plumb validate']),
    );
    await session.request(
      'tools/call',
      { name: textOf(tool, 'name'), arguments: args },
      { timeoutMs: 2_000 },
    );
  }
  await session.quiet(Math.min(150, probe.settings.quietMs));
}
