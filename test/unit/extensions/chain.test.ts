import { type ChainOptions, createChain } from 'plumb-mcp/chain';
import { connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { describe, expect, test } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { cleanup } from '../../support/cleanup.js';
import { stationServer, stations } from './stations.js';

const plain = () => createServer({ name: 'plain', version: '1.0.0', capabilities: { tools: {} } });

describe.each(REVISIONS)('a gateway in $version', ({ version }) => {
  async function meet(options: ChainOptions, servers: Record<string, { server: ReturnType<typeof plain> }>) {
    const gateway = createChain(options).to(servers);
    cleanup(() => gateway.close({ drain: 0 }));
    const client = await connect(gateway, {
      revisions: [version],
      extensions: [stations.with({ unit: 'C' })],
    });
    cleanup(() => client.close());
    return { client, weather: client.extension(stations) };
  }

  test('declares a known extension with what all servers promise, and finds a server that has it', async () => {
    const first = stationServer({ revisions: [version] }, ['CH']).server;
    const { client, weather } = await meet(
      { extensions: [stations.with({ unit: 'C' })] },
      { plain: { server: plain() }, first: { server: first } },
    );
    expect(client.capabilities.extensions).toEqual({ [stations.id]: { countries: ['CH'] } });
    expect((await weather.request('stations/read', { station: 'Bern' })).degrees).toBe(20);
  });

  test('promises nothing that one of the servers does not', async () => {
    const first = stationServer({ revisions: [version] }, ['CH']).server;
    const second = stationServer({ revisions: [version] }, ['FR']).server;
    const { client } = await meet(
      { extensions: [stations] },
      { first: { server: first }, second: { server: second } },
    );
    expect(client.capabilities.extensions).toEqual({ [stations.id]: {} });
  });

  test('does not declare an extension that it does not know', async () => {
    const first = stationServer({ revisions: [version] }).server;
    const { client } = await meet({}, { plain: { server: plain() }, first: { server: first } });
    expect(client.capabilities.extensions).toBeUndefined();
  });

  test('may serve a method for all servers that have the extension', async () => {
    const read = async (
      params: object,
      _ctx: unknown,
      servers: readonly { request(method: string, params: object): Promise<object> }[],
    ) => {
      const answers = await Promise.all(
        servers.map((server) => server.request('stations/read', { ...params })),
      );
      return { degrees: answers.length };
    };
    const { weather } = await meet(
      { extensions: [{ extension: stations, methods: { 'stations/read': read } }] },
      { one: { server: stationServer().server }, two: { server: stationServer().server } },
    );
    expect((await weather.request('stations/read', { station: 'Bern' })).degrees).toBe(2);
  });
});

test('a proxy passes the extensions of its server on, known or not', async () => {
  const proxy = createChain().to({ server: stationServer().server });
  cleanup(() => proxy.close({ drain: 0 }));
  const client = await connect(proxy, { extensions: [stations.with({ unit: 'F' })] });
  cleanup(() => client.close());
  expect(client.capabilities.extensions).toEqual({ [stations.id]: { countries: ['CH'] } });
  const weather = client.extension(stations);
  expect((await weather.request('stations/read', { station: 'Bern' })).degrees).toBe(68);
});
