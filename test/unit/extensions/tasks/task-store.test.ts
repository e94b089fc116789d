import { createMemoryStore, type Store } from 'plumb-mcp/store';
import { describe, expect, test } from 'vitest';
import {
  answered,
  cancelled,
  coreTask,
  detailedTask,
  type TaskRecord,
} from '../../../../src/extensions/tasks/record.js';
import { TaskStore } from '../../../../src/extensions/tasks/task-store.js';

const SHELF = { owner: 'principal ada', account: 'ada' };

function record(store: Store, changes: Partial<TaskRecord> = {}): TaskRecord {
  const createdAt = Date.now();
  return {
    id: crypto.randomUUID(),
    owner: SHELF.owner,
    node: store.nodes.self,
    status: 'working',
    createdAt,
    updatedAt: createdAt,
    ttlMs: 60_000,
    pollIntervalMs: 500,
    ...changes,
  };
}

function setUp(store: Store = createMemoryStore()) {
  const changes: string[] = [];
  const tasks = new TaskStore({ store, now: Date.now, changed: ({ status }) => changes.push(status) });
  return { store, tasks, changes };
}

describe('tasks in a store', () => {
  test('lose no change that is made at the same time', async () => {
    const { store, tasks } = setUp();
    const task = record(store, {
      inputs: { a: { method: 'm', params: {} }, b: { method: 'm', params: {} } },
    });
    await tasks.create(task, SHELF, 10);
    await Promise.all(
      ['a', 'b'].map((key) => tasks.change(task.id, (now) => answered(now, { [key]: { result: { key } } }))),
    );
    const after = await tasks.read(task.id);
    expect(after?.inputs).toBeUndefined();
    expect(Object.keys(after?.answers ?? {}).sort()).toEqual(['a', 'b']);
    expect(after?.status).toBe('working');
  });

  test('do not change after they have ended', async () => {
    const { store, tasks, changes } = setUp();
    const task = record(store);
    await tasks.create(task, SHELF, 10);
    await tasks.change(task.id, cancelled);
    const after = await tasks.change(task.id, (now) => ({ ...now, status: 'completed', result: {} }));
    expect(after?.status).toBe('cancelled');
    expect(changes).toEqual(['cancelled']);
  });

  test('have failed, with the reason, when their node is gone', async () => {
    const store = createMemoryStore();
    const dead: Store = {
      ...store,
      nodes: { self: 'here', leaseMs: 1000, isAlive: (node) => node === 'here' },
    };
    const { tasks, changes } = setUp(dead);
    const task = record(dead, { node: 'gone' });
    await tasks.create(task, SHELF, 10);
    expect(await tasks.read(task.id)).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: expect.stringContaining('stopped before the task had ended') },
    });
    expect(changes).toEqual(['failed']);
  });

  test('are listed for their owner, and give way when they have ended', async () => {
    const { store, tasks } = setUp();
    const [first, second, third] = [record(store), record(store), record(store)];
    expect(await tasks.create(first, SHELF, 2)).toBe(true);
    expect(await tasks.create(second, SHELF, 2)).toBe(true);
    expect(await tasks.create(third, SHELF, 2)).toBe(false);
    await tasks.change(first.id, cancelled);
    expect(await tasks.create(third, SHELF, 2)).toBe(true);
    expect((await tasks.list(SHELF)).map(({ id }) => id)).toEqual([second.id, third.id]);
    expect(await tasks.list({ owner: 'principal eve', account: 'eve' })).toEqual([]);
  });

  test('wake those who watch them', async () => {
    const { store, tasks } = setUp();
    const task = record(store);
    await tasks.create(task, SHELF, 10);
    const woken = new Promise<void>((resolve) => {
      void tasks.watch(task.id, resolve);
    });
    await tasks.change(task.id, cancelled);
    await woken;
  });
});

describe('a task that ended with an error of its tool', () => {
  test('has failed in one form of tasks, and completed in the other', () => {
    const done = record(createMemoryStore(), { status: 'completed', result: { content: [], isError: true } });
    expect(coreTask(done).status).toBe('failed');
    expect(detailedTask(done)).toMatchObject({ status: 'completed', result: { isError: true } });
  });
});
