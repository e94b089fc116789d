/** Servers that nobody prepared, each in one revision here; `npm run validate:peers` judges all of them in all. */

import { expect, test } from 'vitest';
import { selectRevisions } from '../../../src/protocol/revisions/index.js';
import { commandClient } from '../../../src/validate/client/command.js';
import { reportOf, validateClient, validateServer } from '../../../src/validate/index.js';
import { allFindings } from '../../../src/validate/report/report.js';
import { commandTarget, urlTarget } from '../../../src/validate/target.js';
import { CLIENT_PEERS, PEERS, startPeer } from './fixtures/peers.mjs';

const FIVE_MINUTES = 300_000;

/** Between them every revision, every transport, and every peer whose run is short. */
const CHOSEN = [
  ['plumb demo', 'stdio', '2026-07-28'],
  ['plumb demo', 'http', '2025-11-25'],
  ['plumb demo', 'sse', '2024-11-05'],
  ['plumb demo behind a chain', 'http', '2026-07-28'],
  ['plumb demo behind a chain', 'stdio', '2025-06-18'],
  ['SDK v1', 'stdio', '2025-03-26'],
  ['SDK v1', 'http', '2025-11-25'],
  ['SDK v2', 'stdio', '2026-07-28'],
  ['SDK v2', 'http', '2026-07-28'],
  ['server-everything', 'stdio', '2024-11-05'],
  ['server-filesystem', 'stdio', '2025-06-18'],
  ['server-memory', 'stdio', '2025-11-25'],
] as const;

test.concurrent.each(CHOSEN)(
  '%s over %s in %s shows nothing but faults that it has',
  { timeout: FIVE_MINUTES },
  async (name, transport, version) => {
    const peer = PEERS.find((candidate) => candidate.name === name && candidate.transport === transport);
    if (peer === undefined) throw new Error(`no peer ${name}`);
    const running = await startPeer(peer);
    try {
      const target =
        running === undefined
          ? commandTarget({ command: process.execPath, args: peer.command })
          : urlTarget(running.url, { transport: transport === 'sse' ? 'sse' : 'http' });
      const report = reportOf(await validateServer(target, { revisions: selectRevisions([version]) }));
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

/** Where each era and the start of a process show most. */
const SCENARIOS = [
  'rehearsal-4',
  'rehearsal-5',
  'handshake-4',
  'stateless',
  'only-tools',
  'unsupported-version',
  'framing-5',
  'fallback-method',
];

test.concurrent.each(CLIENT_PEERS)(
  'the client $name over $transport shows nothing but faults that it has',
  { timeout: FIVE_MINUTES },
  async ({ command, transport, ours, real = {} }) => {
    const client = { command: process.execPath, args: command };
    expect(commandClient(client).transport ?? 'http').toBe(transport);
    const report = reportOf(await validateClient(client, { only: SCENARIOS, timeout: 30_000 }));
    expect(report.revisions.length).toBeGreaterThan(0);
    const found = allFindings(report)
      .filter(({ id, level }) => ours === true || (level === 'must' && !(id in real)))
      .map(({ id, message, received }) => `${id} ${message} | ${received}`);
    expect(found).toEqual([]);
  },
);
