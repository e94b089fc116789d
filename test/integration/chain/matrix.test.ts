/** A selection of `npm run matrix`: where official clients and servers of different eras meet, over other transports. */

import { describe, expect, test } from 'vitest';
import { allCells, type Outcome, runServer } from '../../../scripts/matrix/cells.mjs';
import { clientsOf } from '../../../scripts/matrix/clients.mjs';
import { FEATURES } from '../../../scripts/matrix/features.mjs';
import { serversOf } from '../../../scripts/matrix/servers.mjs';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';

const SELECTION = [
  { client: 'SDK v1', front: 'stdio', server: 'SDK v2, stateless', back: 'http' },
  { client: 'SDK v2, handshake', front: 'sse', server: 'SDK v2, stateless', back: 'stdio' },
  { client: 'SDK v2, stateless', front: 'http', server: 'SDK v1', back: 'sse' },
  { client: 'SDK v2, stateless', front: 'stdio', server: 'SDK v1', back: 'http' },
  { client: 'SDK v1', front: 'http', server: 'demo 2026-07-28', back: 'http' },
];

const servers = serversOf(REVISIONS);
const cells = allCells(clientsOf(REVISIONS), servers);

test('the matrix has every pair of revisions over every transport that both have', () => {
  const pairs = new Set(cells.map(({ client, server }) => `${client.name} ${server.name}`));
  for (const client of REVISIONS)
    for (const server of REVISIONS)
      expect(pairs.has(`Plumb ${client.version} demo ${server.version}`)).toBe(true);
  expect(cells.length).toBeGreaterThan(400);
});

describe.each([...new Set(SELECTION.map(({ server }) => server))])('%s', (name) => {
  test('has all features for clients of the other era', async () => {
    const server = servers.find((candidate) => candidate.name === name);
    const chosen = cells.filter((cell) =>
      SELECTION.some(
        ({ client, front, back, server: behind }) =>
          behind === name &&
          cell.server === server &&
          cell.client.name === client &&
          cell.front === front &&
          cell.back === back,
      ),
    );
    expect(chosen).toHaveLength(SELECTION.filter((cell) => cell.server === name).length);
    const outcomes: Outcome[] = [];
    if (server !== undefined) await runServer(server, chosen, (outcome) => outcomes.push(outcome));
    expect(outcomes.flatMap(({ failures }) => failures)).toEqual([]);
    for (const { tried } of outcomes) expect(tried).toBe(Object.keys(FEATURES).length);
  }, 120_000);
});
