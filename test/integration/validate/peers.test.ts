/** Servers that nobody prepared, each in one revision here; `npm run validate:peers` judges all of them in all. */

import { expect, test } from 'vitest';
import { selectRevisions } from '../../../src/protocol/revisions/index.js';
import { commandClient } from '../../../src/validate/client/command.js';
import { reportOf, validateClient, validateServer } from '../../../src/validate/index.js';
import { allFindings } from '../../../src/validate/report/report.js';
import { commandTarget, urlTarget } from '../../../src/validate/target.js';
import { CLIENT_PEERS, PEERS, startPeer } from './fixtures/peers.mjs';

const FIVE_MINUTES = 300_000;

/** Everything that depends on what a server offers: a peer with the same SDK as another one differs in nothing else. */
const OFFERS = [
  ...numbered(30, 33),
  ...numbered(97, 154),
  ...['019', '020', '049', '058', '382', '383', '406'],
];

function numbered(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => String(from + index).padStart(3, '0'));
}

/** Between them every revision, every transport, and every peer whose run is short. */
const CHOSEN = [
  ['plumb demo', 'stdio', '2026-07-28'],
  ['plumb demo', 'http', '2025-11-25'],
  ['plumb demo', 'sse', '2024-11-05'],
  ['plumb demo behind a chain', 'http', '2026-07-28'],
  ['plumb demo behind a chain', 'stdio', '2025-06-18', OFFERS],
  ['SDK v1', 'stdio', '2025-03-26'],
  ['SDK v1', 'http', '2025-11-25'],
  ['SDK v2', 'stdio', '2026-07-28'],
  ['SDK v2', 'http', '2026-07-28'],
  ['server-everything', 'stdio', '2024-11-05'],
  ['server-filesystem', 'stdio', '2025-06-18', OFFERS],
  ['server-memory', 'stdio', '2025-11-25', OFFERS],
] as const satisfies readonly (readonly [string, string, string, (readonly string[])?])[];

test.concurrent.each(CHOSEN)(
  '%s over %s in %s shows nothing but faults that it has',
  { timeout: FIVE_MINUTES },
  async (name, transport, version, only?: readonly string[]) => {
    const peer = PEERS.find((candidate) => candidate.name === name && candidate.transport === transport);
    if (peer === undefined) throw new Error(`no peer ${name}`);
    const running = await startPeer(peer);
    try {
      const target =
        running === undefined
          ? commandTarget({ command: process.execPath, args: peer.command })
          : urlTarget(running.url, { transport: transport === 'sse' ? 'sse' : 'http' });
      const report = reportOf(await validateServer(target, { revisions: selectRevisions([version]), only }));
      expect(report.revisions.map(({ revision }) => revision)).toEqual([version]);
      const found = allFindings(report)
        .filter(({ id, level }) => (peer.ours === true || level === 'must') && !(id in (peer.real ?? {})))
        .map(({ id, message, received }) => `${id} ${message} | ${received}`);
      expect(found).toEqual([]);
      if (peer.ours === true && peer.real === undefined) expect(report.score).toBe(100);
    } finally {
      running?.stop();
    }
  },
);

/** Where each era shows most, and over stdio the start of a process. */
const SCENARIOS = {
  http: ['rehearsal-4', 'rehearsal-5', 'handshake-4', 'stateless', 'only-tools', 'unsupported-version'],
  stdio: ['rehearsal-4', 'rehearsal-5', 'handshake-4', 'stateless', 'framing-5', 'fallback-method'],
};

test.concurrent.each(CLIENT_PEERS)(
  'the client $name over $transport shows nothing but faults that it has',
  { timeout: FIVE_MINUTES },
  async ({ command, transport, ours, real = {} }) => {
    const client = { command: process.execPath, args: command };
    expect(commandClient(client).transport ?? 'http').toBe(transport);
    const report = reportOf(await validateClient(client, { only: SCENARIOS[transport], timeout: 30_000 }));
    expect(report.revisions.length).toBeGreaterThan(0);
    const found = allFindings(report)
      .filter(({ id, level }) => ours === true || (level === 'must' && !(id in real)))
      .map(({ id, message, received }) => `${id} ${message} | ${received}`);
    expect(found).toEqual([]);
  },
);
