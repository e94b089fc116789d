/** Resources: text, binary, and templates with completion. The one that changes is with the tool that changes it. */

import type { Server } from '../../server/index.js';
import { PNG_BYTES } from './media.js';

const README = `# Plumb demo

A server with every feature of the Model Context Protocol, for trying clients.
Read demo://cities/{country}/{city} for a resource behind a template.
`;

const CITIES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'france',
    new Map([
      ['lyon', 'Silk and cuisine.'],
      ['paris', 'A tower and a river.'],
    ]),
  ],
  [
    'italy',
    new Map([
      ['pisa', 'A tower that no plumb line would agree with.'],
      ['rome', 'Seven hills.'],
    ]),
  ],
  [
    'japan',
    new Map([
      ['kyoto', 'Temples and gardens.'],
      ['tokyo', 'Trains on time.'],
    ]),
  ],
]);

export function addResources(server: Server): void {
  server.resource(
    'demo://readme',
    {
      name: 'readme',
      title: 'Read me',
      description: 'What this server is for.',
      mimeType: 'text/markdown',
      size: Buffer.byteLength(README),
      annotations: { audience: ['user', 'assistant'], priority: 1 },
      cache: { ttl: 60_000, scope: 'public' },
    },
    () => README,
  );

  server.resource(
    'demo://logo.png',
    {
      name: 'logo',
      title: 'Logo',
      description: 'A plumb bob.',
      mimeType: 'image/png',
      size: PNG_BYTES.length,
    },
    () => PNG_BYTES,
  );

  server.resource(
    'demo://cities/{country}/{city}',
    {
      name: 'city',
      title: 'City',
      description:
        'A line about a city. Both variables can be completed, the city once the country is known.',
      mimeType: 'text/plain',
      complete: {
        country: (value) => startingWith([...CITIES.keys()], value),
        city: (value, { country }) => startingWith(citiesOf(country), value),
      },
    },
    ({ variables }) => CITIES.get(variables.country)?.get(variables.city),
  );

  server.resource(
    'demo://path/{+path}',
    {
      name: 'path',
      title: 'Path',
      description: 'Any path, with its segments counted.',
      mimeType: 'application/json',
    },
    ({ variables: { path } }) => JSON.stringify({ path, segments: path.split('/').length }),
  );
}

function citiesOf(country: string | undefined): string[] {
  const countries =
    country === undefined ? [...CITIES.values()] : [CITIES.get(country) ?? new Map<string, string>()];
  return countries.flatMap((cities) => [...cities.keys()]);
}

export function startingWith(values: readonly string[], typed: string): string[] {
  return values.filter((value) => value.startsWith(typed.toLowerCase()));
}
