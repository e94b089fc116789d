/** Tasks of others, too many tasks, tasks that never end, and what tasks must not get around. */

import { type Client, type ConnectOptions, connect, textOf } from 'plumb-mcp/client';

import { createServer, type ServerOptions, ToolError } from 'plumb-mcp/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { REVISIONS } from '../../src/protocol/revisions/index.js';
import { createTaskServer } from '../support/task-server.js';

/** An HTTP server where who calls says so in the header `x-user`. */
async function serve(options: Partial<ServerOptions> = {}) {
  const tasks = createTaskServer(options);
  onTestFinished(() => tasks.server.close({ drain: 0 }));
  const { url } = await tasks.server.http({
    authenticate: (request) => ({ principal: request.header('x-user') ?? 'nobody' }),
  });
  const meet = async (user: string, client: ConnectOptions = {}): Promise<Client> => {
    const connected = await connect(url, { headers: { 'x-user': user }, ...client });
    onTestFinished(() => connected.close());
    return connected;
  };
  return { ...tasks, meet };
}

const FORMS = REVISIONS.filter(({ tasks }) => tasks !== 'none');

describe.each(FORMS)('a task in $version', (revision) => {
  const client = { revisions: [revision.version] };

  test('cannot be seen, answered, cancelled, listed or heard of by another principal', async () => {
    const { meet, seen } = await serve();
    const owner = await meet('ada', client);
    const stranger = await meet('eve', client);
    const { id = '' } = await owner.tools.start('gate');
    const never = '00000000-0000-4000-8000-000000000000';
    const methods = revision.tasks === 'core' ? ['get', 'result', 'cancel'] : ['get', 'update', 'cancel'];
    for (const method of methods) {
      const ask = (taskId: string) =>
        stranger.request(`tasks/${method}`, { taskId, inputResponses: {} }).catch((error) => error.message);
      // The same words as for a task that never was: nothing says that there is one.
      expect(await ask(id)).toBe(await ask(never));
    }
    if (revision.tasks === 'core') expect(await stranger.tasks.list()).toEqual([]);
    expect((await owner.tasks.get(id)).status).toBe('working');
    expect(seen).toEqual([]);
    await owner.tasks.cancel(id);
  });

  test('is not cancelled with the request that it came from', async () => {
    const { meet, seen, open } = await serve();
    const owner = await meet('ada', client);
    const task = await owner.tools.start('gate');
    await owner.notify('notifications/cancelled', { requestId: 1 });
    await owner.notify('notifications/cancelled', { requestId: 2 });
    await owner.close();
    const again = await (await meet('ada', client)).tasks.resume(task.id ?? '');
    expect(again.state?.status).toBe('working');
    open();
    expect(textOf(await again.result())).toBe('open');
    expect(seen).toEqual([]);
  });

  test('has an id that says nothing about others', async () => {
    const { meet } = await serve({ tasks: { maxPerPeer: 50 } });
    const owner = await meet('ada', client);
    const handles = await Promise.all(
      Array.from({ length: 20 }, () => owner.tools.start('add', { a: 1, b: 1 })),
    );
    const ids = handles.map(({ id = '' }) => id);
    expect(new Set(ids).size).toBe(20);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('is one of a bounded number, where those that have ended give way', async () => {
    const { meet } = await serve({ tasks: { maxPerPeer: 2 } });
    const owner = await meet('ada', client);
    const done = await owner.tools.start('add', { a: 1, b: 1 });
    await done.result();
    await owner.tools.start('gate');
    await owner.tools.start('gate');
    await expect(owner.tools.start('gate')).rejects.toThrow(/as many tasks as you may have/);
    await expect(owner.tasks.get(done.id ?? '')).rejects.toMatchObject({ rpcCode: -32602 });
    const other = await meet('eve', client);
    expect((await other.tools.start('gate')).id).toBeDefined();
  });

  test('is one of a bounded number on its node', async () => {
    const { meet } = await serve({ tasks: { max: 1 } });
    await (await meet('ada', client)).tools.start('gate');
    await expect((await meet('eve', client)).tools.start('gate')).rejects.toThrow(/as many tasks as it can/);
  });

  test('ends with its time to live', async () => {
    const { meet, seen } = await serve({ tasks: { ttl: 300 } });
    const owner = await meet('ada', client);
    const { id = '' } = await owner.tools.start('gate');
    await expect.poll(() => seen).toEqual(['stopped']);
    await expect.poll(() => owner.tasks.get(id).catch((error) => error.rpcCode)).toBe(-32602);
  });

  test('does not keep more than the server may keep', async () => {
    const server = createServer({
      name: 'large',
      version: '1.0.0',
      limits: { stateBytes: 64 * 1024, peerStateBytes: 64 * 1024 },
      tasks: { pollInterval: 20 },
    });
    onTestFinished(() => server.close({ drain: 0 }));
    server.tool('large', { task: 'optional' }, async () => 'x'.repeat(1024 * 1024));
    const owner = await connect(server, client);
    onTestFinished(() => owner.close());
    const task = await owner.tools.start('large');
    await expect(task.result()).rejects.toThrow(/larger than what the server can keep/);
  });

  test('passes the middleware like any other call', async () => {
    const { meet, server } = await serve();
    server.use('tools/call', async (call, next) => {
      if (call.caller.principal === 'eve') throw new ToolError('eve may not call');
      const result = await next();
      return { ...result, content: [{ type: 'text', text: 'redacted' }] };
    });
    const owner = await meet('ada', client);
    expect(textOf(await (await owner.tools.start('add', { a: 1, b: 2 })).result())).toBe('redacted');
    const refused = await (await (await meet('eve', client)).tools.start('add', { a: 1, b: 2 })).result();
    expect(refused.isError).toBe(true);
  });

  test('takes answers only to what it asks', async () => {
    const { meet } = await serve();
    if (revision.tasks === 'core') return;
    const raw = await meet('ada', { ...client, elicit: () => new Promise(() => {}) });
    const { id: taskId } = await raw.tools.start('asks');
    await expect.poll(() => raw.request('tasks/get', { taskId })).toMatchObject({ status: 'input_required' });
    const hostile = JSON.parse('{"__proto__": {"action": "accept"}, "constructor": {}, "input-2": {}}');
    await raw.request('tasks/update', { taskId, inputResponses: hostile });
    expect(await raw.request('tasks/get', { taskId })).toMatchObject({ status: 'input_required' });
    await expect(
      raw.request('tasks/update', { taskId, inputResponses: { 'input-1': 7 } }),
    ).rejects.toMatchObject({
      rpcCode: -32602,
    });
    const answer = { action: 'accept', content: { name: 'Ada' } };
    await raw.request('tasks/update', { taskId, inputResponses: { 'input-1': answer } });
    await expect.poll(() => raw.request('tasks/get', { taskId })).toMatchObject({ status: 'completed' });
  });
});
