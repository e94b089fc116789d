/** A store whose answers all come later and as copies, as those of a store on another machine do. */

import type { SessionRecord, Store } from '../../src/store/index.js';

export function createAsyncStore(store: Store): Store {
  const copy = (record: SessionRecord | undefined): SessionRecord | undefined =>
    record === undefined ? undefined : structuredClone(record);
  const later = <T>(answer: () => T): Promise<Awaited<T>> =>
    new Promise((resolve, reject) => {
      setImmediate(() =>
        Promise.resolve()
          .then(answer)
          .then(resolve as (value: unknown) => void, reject),
      );
    });
  return {
    sessions: {
      create: (id, record) => later(() => store.sessions.create(id, structuredClone(record))),
      get: (id) => later(async () => copy(await store.sessions.get(id))),
      peek: (id) => later(async () => copy(await store.sessions.peek(id))),
      update: (id, record) => later(() => store.sessions.update(id, structuredClone(record))),
      delete: (id) => later(() => store.sessions.delete(id)),
    },
    events: {
      append: (session, stream, data) => later(() => store.events.append(session, stream, data)),
      replay: (session, stream, after) => later(() => store.events.replay(session, stream, after)),
      drop: (session) => later(() => store.events.drop(session)),
    },
    bus: {
      publish: (topic, text) => later(() => store.bus.publish(topic, text)),
      subscribe: (topic, receive) => later(() => store.bus.subscribe(topic, receive)),
    },
    close: () => later(() => store.close()),
  };
}
