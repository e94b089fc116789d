import { afterEach, describe, expect, it, vi } from 'vitest';
import type {
  HttpBody,
  HttpEndpoint,
  HttpRequest,
  HttpResponse,
} from '../../../src/transports/http/server/exchange.js';
import { serveFetch } from '../../../src/transports/http/server/fetch.js';
import { DEFAULT_HTTP_LIMITS } from '../../../src/transports/http/server/limits.js';

type Handle = (request: HttpRequest, response: HttpResponse, body: HttpBody) => void | Promise<void>;

const errors: unknown[] = [];
afterEach(() => {
  errors.length = 0;
  vi.useRealTimers();
});

function serve(request: Request, handle: Handle, limits = {}): Promise<Response> {
  const endpoint: HttpEndpoint = {
    limits: { ...DEFAULT_HTTP_LIMITS, ...limits },
    headersFor: () => JSON_TYPE,
    admit: () => ({ principal: undefined }),
    handle: (incoming, _caller, body, response) => handle(incoming, response, body),
  };
  return serveFetch(endpoint, request, (error) => errors.push(error));
}

const post = (body: string | ReadableStream, init: RequestInit = {}): Request =>
  new Request('http://localhost/mcp?a=1&b=', {
    method: 'POST',
    body,
    duplex: 'half',
    ...init,
  } as RequestInit);

const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('the fetch adapter', () => {
  it('shows method, path, query and headers of the request', async () => {
    let seen: unknown;
    await serve(post('x', { headers: { 'X-One': '1' } }), (request, response) => {
      const { method, path } = request;
      seen = [
        method,
        path,
        request.query('a'),
        request.query('b'),
        request.query('c'),
        request.header('x-one'),
      ];
      response.send(200, {});
    });
    expect(seen).toEqual(['POST', '/mcp', '1', '', undefined, '1']);
  });

  it('takes the host from the URL where no header says it, and from the header where one does', async () => {
    const hosts: unknown[] = [];
    const handle: Handle = (request, response) => {
      hosts.push(request.header('host'));
      response.send(200, {});
    };
    await serve(post('x'), handle);
    await serve(post('x', { headers: { host: 'evil.example' } }), handle);
    expect(hosts).toEqual(['localhost', 'evil.example']);
  });

  it('joins a body that comes in pieces, also inside a character', async () => {
    const bytes = new TextEncoder().encode('a☃b');
    const body = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    let text: unknown;
    await serve(post(body), (_request, response, read) => {
      text = read;
      response.send(200, {});
    });
    expect(text).toEqual({ text: 'a☃b' });
  });

  it('sends no content type with an empty answer', async () => {
    const response = await serve(post('x'), (_request, answer) => answer.send(202, JSON_TYPE));
    expect(response.status).toBe(202);
    expect(response.headers.get('content-type')).toBeNull();
    expect(await response.text()).toBe('');
  });

  it('refuses a body that is declared too long without reading it', async () => {
    let pulled = false;
    const body = new ReadableStream(
      {
        pull() {
          pulled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const request = post(body, { headers: { 'content-length': '101' } });
    const response = await serve(request, () => expect.unreachable(), { bodyBytes: 100 });
    expect(response.status).toBe(413);
    expect(pulled).toBe(false);
  });

  it('stops reading a body that turns out too long', async () => {
    let cancelled = false;
    let pulls = 0;
    const body = new ReadableStream({
      pull(controller) {
        pulls += 1;
        controller.enqueue(new Uint8Array(40));
      },
      cancel() {
        cancelled = true;
      },
    });
    const response = await serve(post(body), () => expect.unreachable(), { bodyBytes: 100 });
    expect(response.status).toBe(413);
    expect(cancelled).toBe(true);
    expect(pulls).toBeLessThan(6);
  });

  it('gives up on a body that does not come', async () => {
    vi.useFakeTimers();
    let cancelled = false;
    const body = new ReadableStream({
      cancel() {
        cancelled = true;
      },
    });
    const answered = serve(post(body), () => expect.unreachable(), { requestTimeout: 1000 });
    await vi.advanceTimersByTimeAsync(1001);
    expect((await answered).status).toBe(408);
    expect(cancelled).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves no timer behind when the body has come', async () => {
    vi.useFakeTimers();
    await serve(post('x'), (_request, response) => response.send(200, {}));
    expect(vi.getTimerCount()).toBe(0);
  });

  it('takes a body that breaks off for a client that left, not for a failure', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array([123]));
        controller.error(new Error('aborted'));
      },
    });
    const response = await serve(post(body), () => expect.unreachable());
    expect(response.status).toBe(400);
    expect(errors).toEqual([]);
  });

  it('keeps the byte order mark, so that both adapters read the same text', async () => {
    let text: unknown;
    await serve(post('\ufeff{}'), (_request, response, body) => {
      text = body;
      response.send(200, {});
    });
    expect(text).toEqual({ text: '\ufeff{}' });
  });

  it('answers a failure with 500 and keeps the detail back', async () => {
    const failure = new Error('secret');
    const response = await serve(post('x'), () => {
      throw failure;
    });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
    expect(errors).toEqual([failure]);
  });

  it('cuts a stream off when its handler fails: it must not look complete', async () => {
    const response = await serve(post('x'), (_request, answer) => {
      answer.stream(200, JSON_TYPE).write('half');
      throw new Error('secret');
    });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });
});

describe('a stream of the fetch adapter', () => {
  const open = async (init: RequestInit = {}) => {
    let stream: ReturnType<HttpResponse['stream']> | undefined;
    let gone = 0;
    const response = await serve(post('x', init), (_request, answer) => {
      stream = answer.stream(200, { 'Content-Type': 'text/event-stream' });
      answer.onDisconnect(() => {
        gone += 1;
      });
    });
    if (stream === undefined) throw new Error('no stream');
    return { stream, response, gone: () => gone };
  };

  it('delivers what is written and ends', async () => {
    const { stream, response, gone } = await open();
    expect(stream.write('a☃')).toBe(true);
    stream.end();
    expect(stream.write('late')).toBe(false);
    expect(await response.text()).toBe('a☃');
    expect(gone()).toBe(0);
  });

  it('tells how much waits for the reader', async () => {
    const { stream, response } = await open();
    expect(stream.pending).toBe(0);
    stream.write('abc');
    stream.write('☃');
    expect(stream.pending).toBe(6);
    const reader = response.body?.getReader();
    await reader?.read();
    expect(stream.pending).toBe(3);
    await reader?.read();
    expect(stream.pending).toBe(0);
  });

  it('hears that the reader cancelled', async () => {
    const { stream, response, gone } = await open();
    await response.body?.cancel();
    expect(gone()).toBe(1);
    expect(stream.write('x')).toBe(false);
    stream.end();
    stream.destroy();
  });

  it('hears that the request was aborted, and lets its reader go', async () => {
    const connection = new AbortController();
    const { stream, response, gone } = await open({ signal: connection.signal });
    const reading = response.text();
    connection.abort();
    expect(gone()).toBe(1);
    expect(stream.write('x')).toBe(false);
    expect(await reading).toBe('');
  });

  it('hears of a disconnect at once when it asks too late', async () => {
    const connection = new AbortController();
    connection.abort();
    let gone = 0;
    await serve(post('x', { signal: connection.signal }), (_request, answer) => {
      answer.onDisconnect(() => {
        gone += 1;
      });
      answer.send(200, {});
    });
    expect(gone).toBe(1);
  });

  it('hears of nothing when the connection closes after the answer', async () => {
    const connection = new AbortController();
    const { stream, response, gone } = await open({ signal: connection.signal });
    stream.end();
    await response.text();
    connection.abort();
    expect(gone()).toBe(0);
  });

  it('fails the reader when it is destroyed', async () => {
    const { stream, response } = await open();
    stream.write('x');
    stream.destroy();
    await expect(response.text()).rejects.toThrow();
    expect(stream.write('y')).toBe(false);
  });
});
