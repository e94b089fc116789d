import { describe, expect, it } from 'vitest';
import type { InspectorEvent, ServerView } from '../../../src/inspector/api.js';
import {
  applyEvent,
  type InspectorState,
  initialState,
} from '../../../src/inspector/web/state/inspector-state.js';

const SERVER: ServerView = {
  id: 'one',
  name: 'One',
  address: { kind: 'url', url: 'http://127.0.0.1/mcp', headers: {} },
  source: { kind: 'page' },
  state: 'starting',
  retries: 0,
  history: [],
  pinned: null,
  settings: {},
  health: { waiting: 0, strays: { late: 0, duplicate: 0, unknown: 0, malformed: 0 }, faults: [] },
  subscriptions: [],
  logLevel: null,
  roots: { roots: [], ask: false },
};

function stateAfter(...events: InspectorEvent[]): InspectorState {
  return events.reduce(applyEvent, initialState);
}

describe('what the page knows', () => {
  it('replaces a server it knows, and forgets one that was removed', () => {
    const ready = { ...SERVER, state: 'ready' } as const;
    expect(stateAfter({ type: 'server', server: SERVER }, { type: 'server', server: ready }).servers).toEqual(
      [ready],
    );
    expect(
      stateAfter({ type: 'server', server: SERVER }, { type: 'serverRemoved', server: 'one' }).servers,
    ).toEqual([]);
  });

  it('takes lists for stale when they changed and when the server connected again', () => {
    const known: InspectorState = {
      ...stateAfter({ type: 'server', server: SERVER }),
      catalogues: { one: { loading: false, stale: false } },
    };
    const changed = applyEvent(known, { type: 'changed', server: 'one', areas: ['tools'] });
    expect(changed.catalogues.one?.stale).toBe(true);
    const connected = applyEvent(known, { type: 'server', server: { ...SERVER, state: 'ready' } });
    expect(connected.catalogues.one?.stale).toBe(true);
  });

  it('follows a call from its start to its end', () => {
    const call = {
      callId: 'c',
      server: 'one',
      target: { kind: 'resource', uri: 'x' },
      startedAt: 1,
      timeoutMs: 0,
    } as const;
    const running = stateAfter(
      { type: 'callStarted', call },
      { type: 'callProgress', callId: 'c', progress: { progress: 1, total: 2 } },
    );
    expect(running.calls).toEqual([{ ...call, progress: { progress: 1, total: 2 } }]);
    expect(applyEvent(running, { type: 'callEnded', callId: 'c' }).calls).toEqual([]);
  });

  it('keeps a bounded number of log entries, the newest', () => {
    const entries = Array.from({ length: 6_000 }, (_, seq) => ({
      seq,
      at: seq,
      server: 'one',
      source: 'log' as const,
      level: 'info' as const,
      data: seq,
    }));
    const { logs } = stateAfter({ type: 'logs', entries });
    expect(logs).toHaveLength(5_000);
    expect(logs.at(-1)?.seq).toBe(5_999);
  });

  it('counts changes of the timeline, so that views fetch again', () => {
    const totals = { ...initialState.timeline, messages: 3 };
    const state = stateAfter({ type: 'timeline', totals, from: 2 }, { type: 'timeline', totals, from: 3 });
    expect(state.timelineChange).toEqual({ from: 3, count: 2 });
  });
});
