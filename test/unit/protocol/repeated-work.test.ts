import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RepeatedWork, runDueWork } from '../../../src/protocol/repeated-work.js';
import type { HttpEndpoint } from '../../../src/transports/http/server/exchange.js';
import { serveFetch } from '../../../src/transports/http/server/fetch.js';
import { DEFAULT_HTTP_LIMITS } from '../../../src/transports/http/server/limits.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('rounds', () => {
  it('run at their interval until they are stopped', () => {
    const work = vi.fn();
    const rounds = new RepeatedWork(work, 1_000);
    rounds.start();
    rounds.start();
    vi.advanceTimersByTime(2_500);
    expect(work).toHaveBeenCalledTimes(2);
    rounds.stop();
    vi.advanceTimersByTime(2_500);
    expect(work).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('have no timer on Workers, and run when a request finds them due', () => {
    vi.stubGlobal('WebSocketPair', class {});
    const work = vi.fn();
    const rounds = new RepeatedWork(work, 1_000);
    rounds.start();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(900);
    runDueWork();
    expect(work).not.toHaveBeenCalled();
    vi.advanceTimersByTime(200);
    runDueWork();
    runDueWork();
    expect(work).toHaveBeenCalledTimes(1);
    rounds.stop();
    vi.advanceTimersByTime(2_000);
    runDueWork();
    expect(work).toHaveBeenCalledTimes(1);
  });
});

describe('an exchange on Workers', () => {
  it('holds a timer until it is answered, so that the runtime lets it wait, and runs what is due', async () => {
    vi.stubGlobal('WebSocketPair', class {});
    const work = vi.fn();
    const rounds = new RepeatedWork(work, 4_000);
    rounds.start();
    let answer = (): void => undefined;
    const endpoint: HttpEndpoint = {
      limits: DEFAULT_HTTP_LIMITS,
      headersFor: () => ({}),
      admit: () => ({ principal: undefined }),
      handle: (_request, _caller, _body, response) => {
        answer = () => response.send(200, {}, 'done');
      },
    };
    const response = serveFetch(endpoint, new Request('http://localhost/mcp'), () => undefined);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(vi.getTimerCount()).toBe(1);
    expect(work).toHaveBeenCalledTimes(1);
    answer();
    expect(await (await response).text()).toBe('done');
    expect(vi.getTimerCount()).toBe(0);
    rounds.stop();
  });
});
