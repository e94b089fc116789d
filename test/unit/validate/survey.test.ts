/** Which revisions a server speaks: no answer on a busy machine is not a no. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HANDSHAKE_REVISIONS } from '../../../src/protocol/revisions/index.js';
import { spokenRevisions } from '../../../src/validate/survey.js';
import { pipeTarget } from '../../../src/validate/target.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Serves every handshake, except where `ignores` says so; `asked` counts them by version. */
function target(ignores: (version: string, time: number) => boolean, asked = new Map<string, number>()) {
  return pipeTarget('node server.js', async (events) => ({
    write: async (data) => {
      const { id, method, params } = JSON.parse(String(data));
      if (method !== 'initialize') return;
      const { protocolVersion } = params;
      const time = (asked.get(protocolVersion) ?? 0) + 1;
      asked.set(protocolVersion, time);
      if (ignores(protocolVersion, time)) return;
      const result = { protocolVersion, capabilities: {}, serverInfo: { name: 'x', version: '1' } };
      events.line(JSON.stringify({ jsonrpc: '2.0', id, result }));
    },
    endInput: () => {},
    close: async () => {},
  }));
}

const [first, second, third, fourth] = HANDSHAKE_REVISIONS;

test('a revision that got no answer beside the others is asked for again alone', async () => {
  const late = new Set([first?.version, third?.version]);
  const spoken = spokenRevisions(
    target((version, time) => time === 1 && late.has(version)),
    HANDSHAKE_REVISIONS,
    1_000,
  );
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await spoken).toEqual([first, second, third, fourth]);
});

test('a revision that never gets an answer is not spoken', async () => {
  const asked = new Map<string, number>();
  const spoken = spokenRevisions(
    target((version) => version === second?.version, asked),
    HANDSHAKE_REVISIONS,
    1_000,
  );
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await spoken).toEqual([first, third, fourth]);
  expect([...asked.values()]).toEqual([1, 2, 1, 1]);
});

test('a server that answers nothing at all is asked once', async () => {
  const asked = new Map<string, number>();
  const spoken = spokenRevisions(
    target(() => true, asked),
    HANDSHAKE_REVISIONS,
    1_000,
  );
  await vi.advanceTimersByTimeAsync(1_100);
  expect(await spoken).toEqual([]);
  expect([...asked.values()]).toEqual([1, 1, 1, 1]);
});
