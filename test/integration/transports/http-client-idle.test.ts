import { describe, expect, it } from 'vitest';
import {
  event,
  handshakeScript,
  open,
  scriptedServer,
  shakeHands,
  statelessRequest,
} from '../../support/scripted-http.js';

describe('an HTTP client told how long a stream may be silent', () => {
  it('opens the server’s own stream again after that time, and no earlier while comments come', async () => {
    const opened: number[] = [];
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (seen.method !== 'GET') return false;
        opened.push(performance.now());
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(':\n\n');
        // The first stream gives signs of life for a while, and then goes silent without ending.
        for (let beat = 1; beat <= 4; beat += 1) setTimeout(() => response.write(':\n\n'), beat * 40);
        return true;
      }),
    );
    const opening = await open({ url: server.url, reconnect: { delay: 1, idle: 100 } });
    const { transport } = opening;
    await shakeHands(opening);
    await expect.poll(() => opened.length).toBeGreaterThan(1);
    expect((opened[1] ?? 0) - (opened[0] ?? 0)).toBeGreaterThan(200);
    await transport.close();
    await expect.poll(() => server.unfinished()).toBe(0);
  });

  it('gives up a listen stream that has gone silent, so that it is opened again', async () => {
    const server = await scriptedServer((_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' }));
    });
    const { transport } = await open({ url: server.url, reconnect: { idle: 50 } });
    await expect(transport.send(statelessRequest(5, 'subscriptions/listen', {}))).rejects.toMatchObject({
      code: 'stream_lost',
    });
    await transport.close();
  });

  it('leaves the stream of a slow call alone: that has a timeout of its own', async () => {
    const server = await scriptedServer((_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(':\n\n');
      setTimeout(() => response.end(event({ jsonrpc: '2.0', id: 5, result: {} })), 150);
    });
    const { transport, got } = await open({ url: server.url, reconnect: { idle: 50 } });
    await transport.send(statelessRequest(5, 'tools/call', { name: 'x' }));
    expect(got.messages).toHaveLength(1);
    await transport.close();
  });
});
