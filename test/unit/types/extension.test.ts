/** What the compiler knows about an extension, on both of its sides. */

import type { Client } from 'plumb-mcp/client';
import { defineExtension } from 'plumb-mcp/extensions';
import type { Server } from 'plumb-mcp/server';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';

const stations = defineExtension({
  id: 'com.example/stations',
  settings: {
    server: z.object({ countries: z.array(z.string()) }),
    client: { type: 'object', properties: { unit: { enum: ['C', 'F'] } }, required: ['unit'] },
  },
  methods: {
    'stations/read': {
      params: z.object({ station: z.string() }),
      result: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
    },
  },
  notifications: { 'notifications/stations/changed': z.object({ station: z.string() }) },
  listenFilters: { stations: 'strings', all: 'flag' },
  errors: { offline: 4001 },
});

test('a server knows its settings, the params and results of its methods, and what the client declared', () => {
  const use = (server: Server): void => {
    const settings = { countries: ['CH'] };
    const served = server.extension(stations, {
      settings,
      methods: {
        'stations/read': ({ station }, _ctx, { unit }) => {
          expectTypeOf(station).toEqualTypeOf<string>();
          expectTypeOf(unit).toEqualTypeOf<'C' | 'F'>();
          throw stations.error('offline', 'It is off');
        },
      },
    });
    served.announce('stations', 'Bern', 'notifications/stations/changed', { station: 'Bern' });
    // @ts-expect-error There is no such filter.
    served.announce('station', 'Bern', 'notifications/stations/changed', { station: 'Bern' });
    const methods = { 'stations/read': () => ({ degrees: 20 }) };
    // @ts-expect-error A number is no list of countries.
    server.extension(stations, { settings: { countries: 5 }, methods });
    // @ts-expect-error Degrees are a number.
    server.extension(stations, { settings, methods: { 'stations/read': () => ({ degrees: 'hot' }) } });
    // @ts-expect-error A method is missing.
    server.extension(stations, { settings, methods: {} });
    // @ts-expect-error There is no such error.
    stations.error('onfire', 'It burns');
  };
  expectTypeOf(use).toBeFunction();
});

test('a client knows its settings, the methods, their results, and the notifications', () => {
  const use = async (client: Client): Promise<void> => {
    stations.with({ unit: 'C' });
    // @ts-expect-error Kelvin is not offered.
    stations.with({ unit: 'K' });
    const weather = client.extension(stations);
    expectTypeOf(await weather.settings()).toEqualTypeOf<{ countries: string[] } | undefined>();
    expectTypeOf(await weather.request('stations/read', { station: 'Bern' })).toEqualTypeOf<{
      degrees: number;
    }>();
    // @ts-expect-error There is no such method.
    await weather.request('stations/red', { station: 'Bern' });
    // @ts-expect-error A number is no station.
    await weather.request('stations/read', { station: 5 });
    weather.on('notifications/stations/changed', (params) => {
      expectTypeOf(params).toEqualTypeOf<{ station: string }>();
    });
    await weather.listen('stations', ['Bern']);
    // @ts-expect-error A flag takes no keys.
    await weather.listen('all', ['Bern']);
    expectTypeOf(stations.errorName(new Error('x'))).toEqualTypeOf<'offline' | undefined>();
  };
  expectTypeOf(use).toBeFunction();
});
