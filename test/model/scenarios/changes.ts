/** A write that was acknowledged is announced to everyone who had subscribed before, and no more often than it ran. */

import { type Message, ModelClient } from '../client.js';
import type { Scenario } from '../schedule.js';

const URIS = ['note://0', 'note://1'];
const SUBSCRIBERS = 2;
const UPDATED = 'notifications/resources/updated';

interface Subscriber {
  readonly name: string;
  readonly client: ModelClient;
  readonly heard: Map<string, number>;
}

export interface ChangesOptions {
  /** What the server says passes middleware. */
  readonly outbound?: boolean;
  /**
   * Streams that the second subscriber has at the same time. It may hear of a change again on one that it opens
   * anew: no node knows what it has heard on the others.
   */
  readonly streams?: number;
}

export function changes({ outbound = false, streams = 1 }: ChangesOptions = {}): Scenario {
  const applied = new Map<string, number>();
  const acknowledged = new Set<string>();
  const subscribers: Subscriber[] = [];
  let writer: ModelClient | undefined;
  const heardAll = (): boolean =>
    subscribers.every(({ heard }) => [...acknowledged].every((uri) => heard.has(uri)));
  return {
    name: 'changes',
    furnish: (server, store) => {
      if (outbound) server.use({ direction: 'outbound', kind: 'notification' }, (call, next) => next(call));
      server.resource('note://{number}', { name: 'note' }, () => 'note');
      server.tool(
        'write',
        { input: { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] } },
        async ({ uri }) => {
          applied.set(uri, (applied.get(uri) ?? 0) + 1);
          await store.values.set('note', uri);
          server.resourceUpdated(uri);
          return 'written';
        },
      );
    },
    prepare: async (world) => {
      for (let index = 0; index < SUBSCRIBERS; index += 1) {
        const name = `subscriber${index}`;
        const heard = new Map<string, number>();
        const hear = ({ method, params }: Message): void => {
          if (method !== UPDATED) return;
          const uri = String(params?.uri);
          heard.set(uri, (heard.get(uri) ?? 0) + 1);
          world.note(() => `${name} hears of ${uri}`);
        };
        const client = new ModelClient(world, name, hear, index === 1 ? { forgets: true, streams } : {});
        subscribers.push({ name, heard, client });
      }
      writer = new ModelClient(world, 'writer', () => undefined);
      await Promise.all([writer, ...subscribers.map(({ client }) => client)].map((client) => client.open()));
    },
    live: async (world) => {
      await Promise.all(
        subscribers.flatMap(({ client }) => URIS.map((uri) => client.call('resources/subscribe', { uri }))),
      );
      world.note(() => 'all have subscribed');
      for (const uri of URIS) {
        // A tool that failed, because Redis was away for too long, has acknowledged nothing.
        for (let written = false; !written; ) {
          const answer = await writer?.call('tools/call', { name: 'write', arguments: { uri } });
          written = answer?.result?.isError === false;
        }
        world.note(() => `${uri} is acknowledged`);
        acknowledged.add(uri);
        world.expose();
      }
      while (!heardAll()) await world.steps.delay(500);
      for (const { client } of subscribers) client.close();
    },
    violations: () =>
      subscribers.flatMap(({ name, heard }) => [
        ...[...acknowledged]
          .filter((uri) => !heard.has(uri))
          .map((uri) => `${name} never heard of ${uri}, which was acknowledged`),
        ...[...heard]
          .filter(([uri, times]) => streams === 1 && times > (applied.get(uri) ?? 0))
          .map(
            ([uri, times]) =>
              `${name} heard ${times} times of ${uri}, which ran ${applied.get(uri) ?? 0} times`,
          ),
      ]),
  };
}
