/** Long work over every revision, transport and way: as a task where the revision has one, otherwise as a call. */

import { createChain } from 'plumb-mcp/chain';
import { accept, type Client, type ConnectOptions, connect, type Target, textOf } from 'plumb-mcp/client';
import type { Server } from 'plumb-mcp/server';
import { describe, expect, test } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { cleanup } from '../../support/cleanup.js';
import { createStdioPair } from '../../support/stdio-pair.js';
import { createTaskServer, type TaskServer } from '../../support/task-server.js';

const TRANSPORTS: Readonly<
  Record<string, (server: Pick<Server, 'http' | 'connect' | 'transport'>) => Promise<Target>>
> = {
  stdio: async (server) => createStdioPair(server),
  http: async (server) => ({ url: (await server.http()).url }),
};

const elicit: NonNullable<ConnectOptions['elicit']> = ({ message }) =>
  accept({ name: message.startsWith('Your') ? 'Ada' : message });

/** The server itself, or a chain in front of one that speaks a revision with the one form of tasks, the other, or none. */
const WAYS = [
  'direct',
  ...['2026-07-28', '2025-11-25', '2025-06-18'].map((version) => `chain to ${version}`),
];

const cells = Object.keys(TRANSPORTS).flatMap((transport) =>
  REVISIONS.flatMap((revision) =>
    WAYS.map((way) => ({ revision, version: revision.version, transport, way })),
  ),
);

describe.each(cells)('a task tool ($version, $transport, $way)', ({ revision, transport, way }) => {
  const upstream = REVISIONS.find(({ version }) => way === `chain to ${version}`);
  const hasTasks = revision.tasks !== 'none' && upstream?.tasks !== 'none';

  async function meet(options: ConnectOptions = {}): Promise<TaskServer & { client: Client }> {
    const tasks = createTaskServer(upstream === undefined ? {} : { revisions: [upstream.version] });
    cleanup(() => tasks.server.close({ drain: 0 }));
    const served = upstream === undefined ? tasks.server : createChain().to({ server: tasks.server });
    if (served !== tasks.server) cleanup(() => served.close({ drain: 0 }));
    const target = await TRANSPORTS[transport]?.(served);
    if (target === undefined) throw new Error('No such transport');
    const client = await connect(target, { revisions: [revision.version], elicit, ...options });
    cleanup(() => client.close());
    return { ...tasks, client };
  }

  test('is called like any other', async () => {
    const { client } = await meet();
    expect(textOf(await client.tools.call('plain'))).toBe('plain');
    expect(textOf(await client.tools.call('add', { a: 1, b: 2 }))).toBe('3');
    expect(textOf(await client.tools.call('must'))).toBe('done');
  });

  test('is started, watched, and gives its result', async () => {
    const { client, open } = await meet();
    const statuses: string[] = [];
    const starting = client.tools.start(
      'gate',
      {},
      {
        onStatus: ({ status, message }) => statuses.push(`${status} ${message ?? ''}`.trim()),
      },
    );
    if (!hasTasks) open();
    const handle = await starting;
    expect(handle.id === undefined).toBe(!hasTasks);
    const result = handle.result();
    if (hasTasks) {
      await expect.poll(async () => (await handle.refresh())?.message).toBe('waiting');
      open();
    }
    expect(textOf(await result)).toBe('open');
    if (hasTasks) {
      expect(statuses).toContain('working waiting');
      expect(statuses.at(-1)).toMatch(/^completed/);
    }
  });

  const hasProgress = revision.tasks === 'core' && (upstream === undefined || upstream.tasks === 'core');
  if (hasProgress)
    test('reports its progress as progress', async () => {
      const { client, open } = await meet();
      const progress: unknown[] = [];
      const onProgress = (step: { readonly progress: number; readonly total?: number }): void => {
        progress.push([step.progress, step.total]);
      };
      const handle = await client.tools.start('gate', {}, { onProgress });
      const result = handle.result();
      await expect.poll(() => progress).toEqual([[1, 2]]);
      open();
      expect(textOf(await result)).toBe('open');
    });

  test('fails as the tool fails, and as the call fails', async () => {
    const { client } = await meet();
    const failed = await (await client.tools.start('fails')).result();
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toBe('It does not work');
    const broken = client.tools.start('breaks').then((handle) => handle.result());
    await expect(broken).rejects.toMatchObject({ rpcCode: -32602, message: 'It is not allowed' });
  });

  test('refuses arguments that are not its own before there is a task', async () => {
    const { client } = await meet();
    const call = client.tools.start('add', { a: 'one', b: 2 }).then((handle) => handle.result());
    const outcome = await call.then(
      ({ isError }) => isError === true,
      () => true,
    );
    expect(outcome).toBe(true);
  });

  if (revision.elicitation !== 'none')
    test('asks its client while it runs', async () => {
      const { client } = await meet();
      expect(textOf(await (await client.tools.start('asks')).result())).toBe('Hello Ada');
      expect(textOf(await client.tools.call('asks_twice'))).toBe('First? and Second?');
      expect(textOf(await client.tools.call('asks_first'))).toBe('Hello Ada');
    });

  if (hasTasks)
    test('stops when it is cancelled', async () => {
      const { client, seen } = await meet();
      const handle = await client.tools.start('gate');
      await handle.cancel();
      await expect.poll(async () => (await handle.refresh())?.status).toBe('cancelled');
      await expect.poll(() => seen).toEqual(['stopped']);
      await expect(handle.result()).rejects.toThrow(/cancelled/);
    });

  if (hasTasks)
    test('is cancelled with the call that hides it', async () => {
      const { client, seen } = await meet();
      const controller = new AbortController();
      const handle = await client.tools.start('gate', {}, { signal: controller.signal });
      const result = handle.result();
      controller.abort(new Error('enough'));
      await expect(result).rejects.toMatchObject({ code: 'cancelled' });
      await expect.poll(() => seen).toEqual(['stopped']);
    });

  if (hasTasks && transport === 'http' && way === 'direct')
    test('is resumed by another client', async () => {
      const { client, open, server } = await meet();
      const { id = '' } = await client.tools.start('gate');
      await client.close();
      const { url } = await server.http();
      const other = await connect(url, { revisions: [revision.version] });
      cleanup(() => other.close());
      const resumed = await other.tasks.resume(id);
      expect(resumed.state).toMatchObject({ id, status: 'working' });
      open();
      expect(textOf(await resumed.result())).toBe('open');
    });
});
