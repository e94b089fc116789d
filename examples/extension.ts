/** A vendor extension: defined once, typed on both sides. Run it with `node examples/extension.ts`. */

import { connect } from 'plumb-mcp/client';
import { defineExtension } from 'plumb-mcp/extensions';
import { createServer } from 'plumb-mcp/server';

const stations = defineExtension({
  id: 'com.example/stations',
  settings: {
    server: { type: 'object', properties: { countries: { type: 'array', items: { type: 'string' } } } },
    client: { type: 'object', properties: { unit: { enum: ['C', 'F'] } }, required: ['unit'] },
  },
  methods: {
    'stations/read': {
      params: { type: 'object', properties: { station: { type: 'string' } }, required: ['station'] },
      result: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
    },
  },
  notifications: {
    'notifications/stations/changed': {
      type: 'object',
      properties: { station: { type: 'string' }, degrees: { type: 'number' } },
      required: ['station', 'degrees'],
    },
  },
  listenFilters: { stations: 'strings' },
  errors: { offline: 4001 },
});

const celsius = new Map([['Bern', 20]]);
const server = createServer({ name: 'weather', version: '1.0.0' });
const served = server.extension(stations, {
  settings: { countries: ['CH'] },
  methods: {
    'stations/read': ({ station }, _ctx, { unit }) => {
      const degrees = celsius.get(station);
      if (degrees === undefined) throw stations.error('offline', `${station} is offline`);
      return { degrees: unit === 'C' ? degrees : degrees * 1.8 + 32 };
    },
  },
});

const client = await connect(server, { extensions: [stations.with({ unit: 'F' })] });
const weather = client.extension(stations);
console.log('countries:', (await weather.settings())?.countries?.join());
console.log('Bern:', (await weather.request('stations/read', { station: 'Bern' })).degrees);
await weather.request('stations/read', { station: 'Atlantis' }).catch((error: unknown) => {
  console.log('Atlantis:', stations.errorName(error));
});
const heard = new Promise((resolve) => weather.on('notifications/stations/changed', resolve));
await weather.listen('stations', ['Bern']);
served.announce('stations', 'Bern', 'notifications/stations/changed', { station: 'Bern', degrees: 21 });
console.log('changed:', JSON.stringify(await heard));
await client.close();
