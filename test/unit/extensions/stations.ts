/** An extension for tests: methods, settings, a notification, a listen filter and an error. */

import { defineExtension, type Extension } from 'plumb-mcp/extensions';
import { createServer, type Server, type ServerOptions } from 'plumb-mcp/server';

const SHAPE = {
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
  notifications: { 'notifications/stations/changed': { type: 'object' } },
  listenFilters: { stations: 'strings' },
  errors: { offline: 4001 },
} as const;

export const stations: Extension<typeof SHAPE> = defineExtension(SHAPE);

export function stationServer(options: Partial<ServerOptions> = {}, countries: readonly string[] = ['CH']) {
  const server: Server = createServer({ name: 'stations', version: '1.0.0', ...options });
  const served = server.extension(stations, {
    settings: { countries: [...countries] },
    methods: {
      'stations/read': ({ station }, _ctx, { unit }) => {
        if (station !== 'Bern') throw stations.error('offline', `${station} is offline`);
        return { degrees: unit === 'C' ? 20 : 68 };
      },
    },
  });
  return { server, served };
}
