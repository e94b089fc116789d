/** A write that was acknowledged is announced to everyone who had subscribed before, and no more often than it ran. */

import { type Message, ModelClient } from '../client.js';
import type { Scenario } from '../schedule.js';

/**
 * What happens to one subscriber does not depend on another, so most worlds have one of them: the first, which comes
 * back for its stream, or the second, which forgets where it was.
 */
const CASTS: readonly (readonly (0 | 1)[])[] = [[0, 1], [0], [1], [1]];
const UPDATED = 'notifications/resources/updated';

interface Subscriber {
  readonly name: string;
  readonly client: ModelClient;
  readonly heard: Map<string, number>;
  /** What it heard of in this schedule. */
  readonly fresh: Set<string>;
}

export interface ChangesOptions {
  /** Of the world: chooses its cast. */
  readonly seed?: number;
  /** What the server says passes middleware. */
  readonly outbound?: boolean;
  /** Resources that are written to in one schedule, one after the other. */
  readonly writes?: number;
  /** Subscriptions are made before anything goes wrong; otherwise each schedule makes its own. */
  readonly subscribed?: boolean;
  /**
   * Streams that the second subscriber has at the same time. It may hear of a change again on one that it opens
   * anew: no node knows what it has heard on the others.
   */
  readonly streams?: number;
}

export function changes({
  outbound = false,
  seed = 0,
  streams = 1,
  subscribed = false,
  writes = 1,
}: ChangesOptions = {}): Scenario {
  const applied = new Map<string, number>();
  const acknowledged = new Set<string>();
  const subscribers: Subscriber[] = [];
  let writer: ModelClient | undefined;
  let checkHeard: () => void = () => undefined;
  /** Announcements of this schedule died with a node that Redis had been away from for too long. */
  let lost = false;
  const subscribe = (uris: readonly string[]): Promise<unknown> =>
    Promise.all(
      subscribers.flatMap(({ client }) => uris.map((uri) => client.call('resources/subscribe', { uri }))),
    );
  /** Every other schedule has the same ones. */
  const urisOf = (schedule: number): string[] =>
    Array.from({ length: writes }, (_, index) => `note://${subscribed ? schedule % 2 : schedule}.${index}`);
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
      for (const index of CASTS[seed % CASTS.length] ?? []) {
        const name = `subscriber${index}`;
        const heard = new Map<string, number>();
        const fresh = new Set<string>();
        const hear = ({ method, params }: Message): void => {
          if (method !== UPDATED) return;
          const uri = String(params?.uri);
          heard.set(uri, (heard.get(uri) ?? 0) + 1);
          fresh.add(uri);
          world.note(() => `${name} hears of ${uri}`);
          checkHeard();
        };
        const client = new ModelClient(world, name, hear, index === 1 ? { forgets: true, streams } : {});
        subscribers.push({ name, heard, fresh, client });
      }
      writer = new ModelClient(world, 'writer', () => undefined, { streams: 0 });
      await Promise.all([writer, ...subscribers.map(({ client }) => client)].map((client) => client.open()));
      if (subscribed) await subscribe([...urisOf(0), ...urisOf(1)]);
    },
    live: async (world, schedule) => {
      acknowledged.clear();
      lost = false;
      world.onAnnouncementsLost = () => {
        lost = true;
        checkHeard();
      };
      for (const { fresh } of subscribers) fresh.clear();
      const uris = urisOf(schedule);
      if (!subscribed) {
        await subscribe(uris);
        world.note(() => 'all have subscribed');
      }
      for (const uri of uris) {
        // A tool that failed, because Redis was away for too long, has acknowledged nothing.
        for (let written = false; !written; ) {
          const answer = await writer?.call('tools/call', { name: 'write', arguments: { uri } });
          written = answer?.result?.isError === false;
        }
        world.note(() => `${uri} is acknowledged`);
        acknowledged.add(uri);
        world.expose();
      }
      await new Promise<void>((resolve) => {
        checkHeard = () => {
          if (lost || subscribers.every(({ fresh }) => [...acknowledged].every((uri) => fresh.has(uri))))
            resolve();
        };
        checkHeard();
      });
    },
    violations: () =>
      subscribers.flatMap(({ name, heard, fresh }) => [
        ...[...acknowledged]
          .filter((uri) => !lost && !fresh.has(uri))
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
