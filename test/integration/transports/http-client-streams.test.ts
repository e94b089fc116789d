import { describe, expect, it } from 'vitest';
import {
  event,
  events,
  handshakeScript,
  notification,
  type Opened,
  open,
  rawServer,
  request,
  result,
  type SeenRequest,
  scriptedServer,
  shakeHands,
  statelessRequest,
} from '../../support/scripted-http.js';

function progress(n: number): unknown {
  return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: n } };
}

/** What became of request 5: each entry is one outcome, and there must be exactly one. */
async function outcomes({ transport, got }: Opened, text: string): Promise<string[]> {
  const found: string[] = [];
  try {
    await transport.send(text);
  } catch (error) {
    found.push(`rejected ${(error as { code?: string }).code}`);
  }
  for (const decoded of got.messages) {
    if (decoded.kind === 'result' && decoded.message.id === 5) found.push('answered');
  }
  return found;
}

/** A complete HTTP answer as bytes, in chunked encoding, so that every cut is a truncation. */
function chunkedAnswer(...chunks: string[]): Buffer {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
  const body = chunks.map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join('');
  return Buffer.from(`${head}${body}0\r\n\r\n`);
}

const RUNTIMES = [
  ['node:http', {}],
  ['fetch', { fetch: (url: URL, init: RequestInit) => fetch(url, init) }],
] as const;

describe('HTTP client whose stream is cut', () => {
  it.each(RUNTIMES)(
    'gives a stateless request exactly one outcome at every byte, over %s',
    async (_, runtime) => {
      const answer = chunkedAnswer(event(progress(1)), event(result(5, { text: 'grün' })));
      const answered = answer.indexOf('grün') + Buffer.byteLength('grün"}}\n\n');
      const url = await rawServer((seen, socket) => {
        const cut = Number(/x-cut: (\d+)/i.exec(seen)?.[1]);
        socket.end(answer.subarray(0, cut), () => socket.destroy());
      });
      let cut = 0;
      for (; cut <= answer.length; cut += 1) {
        const opened = await open({ url, headers: { 'x-cut': String(cut) }, ...runtime });
        const found = await outcomes(opened, statelessRequest(5, 'tools/call', { name: 'x' }));
        const head = answer.indexOf('\r\n\r\n') + 4;
        const expected =
          cut >= answered ? 'answered' : cut >= head ? 'rejected stream_lost' : 'rejected network';
        expect(found, `cut at ${cut}`).toEqual([expected]);
        expect(opened.got.messages.length).toBeLessThanOrEqual(2);
        await opened.transport.close();
      }
    },
  );

  it('gives a JSON answer exactly one outcome at every byte', async () => {
    const body = JSON.stringify(result(5));
    const answer = Buffer.from(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const url = await rawServer((seen, socket) => {
      socket.end(answer.subarray(0, Number(/x-cut: (\d+)/i.exec(seen)?.[1])), () => socket.destroy());
    });
    for (let cut = 0; cut <= answer.length; cut += 1) {
      const opened = await open({ url, headers: { 'x-cut': String(cut) } });
      const found = await outcomes(opened, statelessRequest(5, 'tools/list'));
      expect(found, `cut at ${cut}`).toHaveLength(1);
      expect(found[0] === 'answered').toBe(cut === answer.length);
      await opened.transport.close();
    }
  });

  it('resumes in a session at every byte: each event arrives once, in order', async () => {
    const log = [
      ['e0', ''],
      ['e1', JSON.stringify(progress(1))],
      ['e2', JSON.stringify(progress(2))],
      ['e3', JSON.stringify(result(5))],
    ] as const;
    const chunk = ([id, data]: readonly [string, string]): string => `id: ${id}\nretry: 1\ndata: ${data}\n\n`;
    const answer = chunkedAnswer(...log.map(chunk));
    const url = await rawServer((seen, socket) => {
      const last = /last-event-id: (\S+)/i.exec(seen)?.[1];
      if (last === undefined) {
        socket.end(answer.subarray(0, Number(/x-cut: (\d+)/i.exec(seen)?.[1])), () => socket.destroy());
        return;
      }
      const rest = log.slice(log.findIndex(([id]) => id === last) + 1);
      // One event for each connection, so that every reconnection is needed.
      socket.end(chunkedAnswer(...rest.slice(0, 1).map(chunk)));
    });
    const firstId = answer.indexOf('data: \n\n') + 'data: \n\n'.length;
    for (let cut = 0; cut <= answer.length; cut += 1) {
      const opened = await open({ url, headers: { 'x-cut': String(cut) } });
      const found = await outcomes(opened, request(5, 'tools/call', { name: 'x' }));
      if (cut < firstId) expect(found[0], `cut at ${cut}`).toMatch(/^rejected (network|stream_lost)$/);
      else {
        expect(found, `cut at ${cut}`).toEqual(['answered']);
        expect(opened.got.texts).toEqual(log.slice(1).map(([, data]) => data));
      }
      expect(found).toHaveLength(1);
      await opened.transport.close();
    }
  });
});

describe('HTTP client resuming', () => {
  const isCall = ({ message }: SeenRequest): boolean => message.method === 'tools/call';

  it('waits as long as the server says, then asks with the last event id and the session', async () => {
    const times: number[] = [];
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (isCall(seen)) {
          events(response, 'id: a-0\nretry: 120\ndata: \n\n').end();
          times.push(performance.now());
          return true;
        }
        if (seen.headers['last-event-id'] !== 'a-0') return false;
        times.push(performance.now());
        events(response, event(result(5), 'a-1')).end();
        return true;
      }),
    );
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    expect(await outcomes(opened, request(5, 'tools/call'))).toEqual(['answered']);
    const [closed = 0, resumed = 0] = times;
    expect(resumed - closed).toBeGreaterThanOrEqual(115);
    const resume = server.seen.find(({ headers }) => headers['last-event-id'] === 'a-0');
    expect(resume).toMatchObject({
      method: 'GET',
      headers: {
        accept: 'text/event-stream',
        'mcp-session-id': 'session-1',
        'mcp-protocol-version': '2025-11-25',
      },
    });
  });

  it('polls as often as the server closes, even when nothing new has come', async () => {
    let polls = 0;
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (isCall(seen)) events(response, 'id: a-0\nretry: 1\n\n').end();
        else if (seen.headers['last-event-id'] === undefined) return false;
        else {
          polls += 1;
          if (polls < 12) events(response, ': not yet\n\n').end();
          else events(response, event(result(5))).end();
        }
        return true;
      }),
    );
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    expect(await outcomes(opened, request(5, 'tools/call'))).toEqual(['answered']);
    expect(polls).toBe(12);
  });

  it('gives up after five failures in a row, and starts counting again when it gets through', async () => {
    let gets = 0;
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (isCall(seen)) events(response, event(progress(1), 'a-1')).end();
        else if (seen.headers['last-event-id'] === undefined) return false;
        else {
          gets += 1;
          if (gets === 4) events(response, event(progress(2), 'a-2')).end();
          else response.writeHead(503).end();
        }
        return true;
      }),
    );
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    await expect(opened.transport.send(request(5, 'tools/call'))).rejects.toMatchObject({
      code: 'stream_lost',
      status: 503,
      mayHaveActed: true,
    });
    expect(gets).toBe(9);
  });

  for (const status of [400, 404, 405]) {
    it(`gives up at once when the server refuses with ${status}`, async () => {
      const server = await scriptedServer(
        handshakeScript((seen, response) => {
          if (isCall(seen)) events(response, event(progress(1), 'a-1')).end();
          else if (seen.method === 'GET') response.writeHead(status).end();
          else return false;
          return true;
        }),
      );
      const opened = await open({ url: server.url, openStream: false });
      await shakeHands(opened);
      expect(await outcomes(opened, request(5, 'tools/call'))).toEqual(['rejected stream_lost']);
      expect(server.seen.filter(({ method }) => method === 'GET')).toHaveLength(1);
    });
  }

  it('never resumes a stateless request, even one with event ids', async () => {
    const server = await scriptedServer((_seen, response) =>
      events(response, event(progress(1), 'a-1')).end(),
    );
    const opened = await open({ url: server.url });
    expect(await outcomes(opened, statelessRequest(5, 'tools/call'))).toEqual(['rejected stream_lost']);
    expect(server.seen.map(({ method }) => method)).toEqual(['POST']);
  });

  it('stops when the request is cancelled while it waits', async () => {
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (!isCall(seen)) return false;
        events(response, `retry: 60000\n\n${event(progress(1), 'a-1')}`).end();
        return true;
      }),
    );
    const opened = await open({ url: server.url, openStream: false });
    await shakeHands(opened);
    const sent = opened.transport.send(request(5, 'tools/call'));
    await opened.got.until(2);
    await opened.transport.send(notification('notifications/cancelled', { requestId: 5 }));
    await sent;
    expect(server.seen.some(({ method }) => method === 'GET')).toBe(false);
  });

  it('reads on when messages come behind the answer in a session', async () => {
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (!isCall(seen)) return false;
        events(response, event(result(5)) + event(progress(9))).end();
        return true;
      }),
    );
    const opened = await open({ url: server.url, openStream: false });
    await shakeHands(opened);
    await opened.transport.send(request(5, 'tools/call'));
    expect(opened.got.messages.map(({ kind }) => kind)).toEqual(['result', 'result', 'notification']);
  });
});
