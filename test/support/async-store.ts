/** A store whose answers all come later and as copies, as those of a store on another machine do. */

import type { Store } from '../../src/store/index.js';
import type { SessionRecord } from '../../src/store/store.js';

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
      update: (id, change) =>
        later(async () => copy(await store.sessions.update(id, structuredClone(change)))),
      delete: (id) => later(() => store.sessions.delete(id)),
    },
    events: {
      origin: store.events.origin,
      append: (session, stream, data) => later(() => store.events.append(session, stream, data)),
      replay: (session, stream, after) => later(() => store.events.replay(session, stream, after)),
      appendChange: (...args) => later(() => store.events.appendChange(...args)),
      claim: (...args) => later(() => store.events.claim(...args)),
      isCurrent: (...args) => later(() => store.events.isCurrent(...args)),
      settle: (...args) => later(() => store.events.settle(...args)),
      watch: (...args) => later(() => store.events.watch(...args)),
      begin: (...args) => later(() => store.events.begin(...args)),
      unfinished: (...args) => later(() => store.events.unfinished(...args)),
      abandon: (...args) => later(() => store.events.abandon(...args)),
      drop: (session) => later(() => store.events.drop(session)),
    },
    bus: {
      publish: (topic, text) => later(() => store.bus.publish(topic, text)),
      subscribe: (topic, receive) => later(() => store.bus.subscribe(topic, receive)),
    },
    mailboxes: {
      deliver: (box, text) => later(() => store.mailboxes.deliver(box, text)),
      open: (box, receive) => later(() => store.mailboxes.open(box, receive)),
    },
    changes: {
      publish: (...args) => later(() => store.changes.publish(...args)),
      newest: () => later(() => store.changes.newest()),
      since: (...args) => later(() => store.changes.since(...args)),
      follow: (...args) => later(() => store.changes.follow(...args)),
    },
    nodes: { ...store.nodes, isAlive: (node) => later(() => store.nodes.isAlive(node)) },
    locks: store.locks,
    rates: { take: (key, limit) => later(() => store.rates.take(key, limit)) },
    values: {
      get: (key) => later(() => store.values.get(key)),
      set: (key, text, ttlMs) => later(() => store.values.set(key, text, ttlMs)),
      claim: (...args) => later(() => store.values.claim(...args)),
      delete: (...args) => later(() => store.values.delete(...args)),
    },
    close: () => later(() => store.close()),
  };
}
