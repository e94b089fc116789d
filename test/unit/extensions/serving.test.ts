import { connect } from 'plumb-mcp/client';
import { defineExtension } from 'plumb-mcp/extensions';
import { createServer } from 'plumb-mcp/server';
import { describe, expect, test } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { cleanup } from '../../support/cleanup.js';
import { stationServer, stations } from './stations.js';

describe.each(REVISIONS)('an extension in $version', (revision) => {
  const versions = { revisions: [revision.version] };

  async function meet(client: Parameters<typeof connect>[1] = {}) {
    const { server, served } = stationServer();
    cleanup(() => server.close({ drain: 0 }));
    const connected = await connect(server, { ...versions, ...client });
    cleanup(() => connected.close());
    return { client: connected, served, weather: connected.extension(stations) };
  }

  test('is declared by both sides, and its methods are served', async () => {
    const { client, weather } = await meet({ extensions: [stations.with({ unit: 'F' })] });
    expect(client.capabilities.extensions).toEqual({ [stations.id]: { countries: ['CH'] } });
    expect(await weather.settings()).toEqual({ countries: ['CH'] });
    expect((await weather.request('stations/read', { station: 'Bern' })).degrees).toBe(68);
  });

  test('answers with its own errors, and checks its params', async () => {
    const { weather, client } = await meet({ extensions: [stations.with({ unit: 'C' })] });
    const lost = await weather.request('stations/read', { station: 'Atlantis' }).catch((error) => error);
    expect(stations.errorName(lost)).toBe('offline');
    await expect(client.request('stations/read', { station: 3 })).rejects.toMatchObject({ rpcCode: -32602 });
  });

  test('is refused to a client that did not declare it', async () => {
    const { client, weather } = await meet();
    await expect(client.request('stations/read', { station: 'Bern' })).rejects.toMatchObject({
      rpcCode: revision.missingCapabilityCode,
      data: { requiredCapabilities: { extensions: { [stations.id]: {} } } },
    });
    await expect(weather.request('stations/read', { station: 'Bern' })).rejects.toMatchObject({
      code: 'not_supported',
    });
  });

  test('is refused where the declared settings are not those of the extension', async () => {
    const { client } = await meet({ capabilities: { extensions: { [stations.id]: { unit: 'K' } } } });
    await expect(client.request('stations/read', { station: 'Bern' })).rejects.toMatchObject({
      rpcCode: -32602,
    });
  });

  test('is unknown to a server without it', async () => {
    const server = createServer({ name: 'plain', version: '1.0.0' });
    cleanup(() => server.close({ drain: 0 }));
    const client = await connect(server, { ...versions, extensions: [stations.with({ unit: 'C' })] });
    cleanup(() => client.close());
    const weather = client.extension(stations);
    expect(weather.isDeclared).toBe(false);
    expect(await weather.settings()).toBeUndefined();
    await expect(weather.request('stations/read', { station: 'Bern' })).rejects.toMatchObject({
      code: 'not_supported',
    });
    await expect(client.request('stations/read', { station: 'Bern' })).rejects.toMatchObject({
      rpcCode: -32601,
    });
  });

  test('is neither declared nor served where its era is another one', async () => {
    const other = revision.lifecycle === 'handshake' ? 'stateless' : 'handshake';
    const extension = defineExtension({ id: 'com.example/era', eras: [other], methods: { 'era/get': {} } });
    const server = createServer({ name: 'eras', version: '1.0.0' });
    cleanup(() => server.close({ drain: 0 }));
    server.extension(extension, { methods: { 'era/get': () => ({}) } });
    const client = await connect(server, { ...versions, extensions: [extension] });
    cleanup(() => client.close());
    if (revision.lifecycle === 'handshake') expect(client.capabilities.extensions).toBeUndefined();
    await expect(client.request('era/get')).rejects.toMatchObject({ rpcCode: -32601 });
  });
});

describe('the listen filter of an extension', () => {
  test('carries what it names, and nothing else', async () => {
    const { server, served } = stationServer();
    cleanup(() => server.close({ drain: 0 }));
    const client = await connect(server, { extensions: [stations.with({ unit: 'C' })] });
    cleanup(() => client.close());
    const weather = client.extension(stations);
    const heard: unknown[] = [];
    const enough = new Promise<void>((resolve) => {
      weather.on('notifications/stations/changed', ({ degrees }) => {
        heard.push(degrees);
        if (heard.length === 2) resolve();
      });
    });
    const stop = await weather.listen('stations', ['Bern']);
    const change = (station: string, degrees: number) =>
      served.announce('stations', station, 'notifications/stations/changed', { station, degrees });
    change('Bern', 1);
    change('Basel', 2);
    change('Bern', 3);
    await enough;
    expect(heard).toEqual([1, 3]);
    await stop();
  });

  test('is refused to a client that did not declare the extension', async () => {
    const { server } = stationServer();
    cleanup(() => server.close({ drain: 0 }));
    const client = await connect(server);
    cleanup(() => client.close());
    const listening = client.request('subscriptions/listen', { notifications: { stations: ['Bern'] } });
    await expect(listening).rejects.toMatchObject({ rpcCode: -32021 });
  });
});

test('the example of a vendor extension runs as its comment says', async () => {
  const lines: string[] = [];
  const { log } = console;
  console.log = (...words: unknown[]) => lines.push(words.join(' '));
  try {
    await import('../../../examples/extension.js');
  } finally {
    console.log = log;
  }
  expect(lines).toEqual([
    'countries: CH',
    'Bern: 68',
    'Atlantis: offline',
    expect.stringMatching(/^changed: \{"station":"Bern","degrees":21/),
  ]);
});
