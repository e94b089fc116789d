/** A subscription of ours, and what arrives on it. */

import { isRecord, type JsonObject, type RequestId } from '../../../jsonrpc/message.js';
import { META_SUBSCRIPTION_ID } from '../../../protocol/model/meta.js';
import type { Probe } from '../../probe.js';
import type { ValidatorSession } from '../../session/session.js';
import type { Delivery } from '../../wire/connection.js';
import type { RecordedEntry } from '../../wire/recorder.js';

export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
export const UPDATED = 'notifications/resources/updated';

/** What can be asked for: the capability that it needs, what then arrives, and the list that it is about. */
export const FLAGS: Readonly<Record<string, readonly [string, string, readonly string[]]>> = {
  toolsListChanged: ['tools', 'notifications/tools/list_changed', ['tools']],
  promptsListChanged: ['prompts', 'notifications/prompts/list_changed', ['prompts']],
  resourcesListChanged: [
    'resources',
    'notifications/resources/list_changed',
    ['resources', 'resourceTemplates'],
  ],
};

export interface Listening {
  readonly session: ValidatorSession;
  readonly id: RequestId;
  readonly delivery: Delivery | undefined;
  readonly sent: string;
  /** Every message of this subscription. */
  messages(): readonly RecordedEntry[];
  /** Those with this method. */
  got(method: string): readonly RecordedEntry[];
  end(): Promise<void>;
}

export async function listen(
  probe: Probe,
  session: ValidatorSession,
  id: RequestId,
  notifications: JsonObject,
): Promise<Listening> {
  const params = session.complete({ notifications });
  const sent = JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params });
  const delivery = await session.connection.send(sent, {
    headers: session.headersFor('subscriptions/listen', params),
  });
  const messages = (): readonly RecordedEntry[] =>
    session.inbox.filter(({ value, stream }) =>
      delivery === undefined
        ? subscriptionOf(value) === id || (isRecord(value) && value.id === id)
        : stream === delivery.stream,
    );
  await session.waitFor(
    (message) =>
      message.id === id ||
      (message.method === ACKNOWLEDGED && String(subscriptionOf(message)) === String(id)),
    probe.settings.timeoutMs,
  );
  return {
    session,
    id,
    delivery,
    sent,
    messages,
    got: (method) => messages().filter(({ value }) => isRecord(value) && value.method === method),
    end: async () => {
      if (delivery === undefined) await session.notify('notifications/cancelled', { requestId: id });
      else delivery.abort();
    },
  };
}

export function subscriptionOf(message: unknown): unknown {
  const params = isRecord(message) && isRecord(message.params) ? message.params : {};
  return isRecord(params._meta) ? params._meta[META_SUBSCRIPTION_ID] : undefined;
}

export function firstOf(listening: Listening): JsonObject {
  const value = listening.messages()[0]?.value;
  return isRecord(value) ? value : {};
}

export function granted(listening: Listening): JsonObject {
  const { params } = firstOf(listening);
  return isRecord(params) && isRecord(params.notifications) ? params.notifications : {};
}

export function textsOf(entries: readonly RecordedEntry[]): string {
  return entries.map(({ text }) => text).join('\n');
}
