/** Calls from web pages: only from configured origins, and with everything that a client in a browser needs. */

import { expect, it } from 'vitest';
import { initializeMessage, post, SessionPeer, stateless, statelessTool } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { describeMatrix, sendTo } from '../../support/http-target.js';

const APP = 'https://app.example.com';
const preflight = (origin: string, headers = {}) => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': 'POST', ...headers },
});

describeMatrix('a page of a configured origin', (start) => {
  const open = (options = {}) => start(createFixture({ http: { allowedOrigins: [APP], ...options } }).server);

  it('gets its preflight answered', async () => {
    const target = await open();
    const requested = 'content-type,mcp-method,mcp-param-region';
    const answer = await target.send(preflight(APP, { 'access-control-request-headers': requested }));
    expect(answer.status).toBe(204);
    expect(answer.header('access-control-allow-origin')).toBe(APP);
    expect(answer.header('access-control-allow-methods')).toBe('GET, POST, DELETE');
    const allowed = answer.header('access-control-allow-headers')?.toLowerCase().split(', ') ?? [];
    for (const name of [
      'content-type',
      'accept',
      'authorization',
      'mcp-session-id',
      'mcp-protocol-version',
      'mcp-method',
      'mcp-name',
      'last-event-id',
      'mcp-param-region',
    ]) {
      expect(allowed).toContain(name);
    }
    expect(answer.header('access-control-allow-credentials')).toBeUndefined();
    expect(answer.header('vary')).toBe('Origin');
    expect(await answer.text()).toBe('');
  });

  it('gets it answered before credentials are asked for: browsers send none with it', async () => {
    const target = await open({ authenticate: () => ({ status: 401, message: 'no' }) });
    expect((await target.send(preflight(APP))).status).toBe(204);
  });

  it('may read every answer, and the headers it needs', async () => {
    const target = await open();
    const origin = { origin: APP };
    const peer = await SessionPeer.open(target, '2025-11-25', { headers: origin });
    const answers = [
      peer.opening,
      await peer.request('ping'),
      await peer.notify('notifications/x'),
      await peer.post('{'),
      await peer.tool('progress', {}, { meta: { progressToken: 1 } }),
      await peer.stream(),
      await post(target, initializeMessage('x'), { ...origin, 'content-type': 'text/plain' }),
      await statelessTool(target, 'echo', {}, { headers: origin }),
      await stateless(target, 'no/method', {}, { headers: origin }),
      await target.send({ method: 'PUT', headers: origin }),
      await peer.end(),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.header('access-control-allow-origin')]).toEqual([answer.status, APP]);
      const exposed = answer.header('access-control-expose-headers')?.toLowerCase() ?? '';
      for (const name of ['mcp-session-id', 'www-authenticate']) expect(exposed).toContain(name);
      expect(answer.header('vary')).toBe('Origin');
      answer.drop();
    }
  });

  it('may read why it is not let in', async () => {
    const target = await open({
      authenticate: () => ({ status: 401, message: 'no', headers: { 'WWW-Authenticate': 'Bearer' } }),
    });
    const answer = await post(target, initializeMessage('2025-11-25'), { origin: APP });
    expect(answer.status).toBe(401);
    expect(answer.header('access-control-allow-origin')).toBe(APP);
    expect(answer.header('www-authenticate')).toBe('Bearer');
  });

  it('may read that its message was too long', async () => {
    const target = await open({ limits: { bodyBytes: 100 } });
    const body = { jsonrpc: '2.0', id: 1, method: 'ping', params: { text: 'x'.repeat(200) } };
    const answer = await post(target, body, { origin: APP });
    expect(answer.status).toBe(413);
    expect(answer.header('access-control-allow-origin')).toBe(APP);
  });
});

describeMatrix('a page of any other origin', (start) => {
  it.each([
    ['none is configured', {}],
    ['another one is', { allowedOrigins: [APP] }],
  ])('is refused, preflight and all, when %s', async (_case, options) => {
    const target = await start(createFixture({ http: options }).server);
    for (const origin of [
      'https://evil.example',
      'null',
      `${APP}.evil.example`,
      'https://app.example.com:444',
    ]) {
      const answers = [
        await target.send(preflight(origin)),
        await post(target, initializeMessage('2025-11-25'), { origin }),
        await target.send({ method: 'GET', headers: { origin, accept: 'text/event-stream' } }),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(403);
        expect(answer.header('access-control-allow-origin')).toBeUndefined();
        expect(answer.header('mcp-session-id')).toBeUndefined();
      }
    }
  });
});

describeMatrix('without configured origins', (start) => {
  it('no answer has a CORS header, whoever asks', async () => {
    const target = await start(createFixture().server);
    for (const headers of [{}, { origin: target.origin }, { origin: 'https://evil.example' }]) {
      const answers = [
        await post(target, initializeMessage('2025-11-25'), headers),
        await target.send({ method: 'OPTIONS', headers }),
        await statelessTool(target, 'progress', {}, { headers, meta: { progressToken: 1 } }),
      ];
      for (const answer of answers) {
        expect(answer.headerNames.filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    }
  });

  it('a page of the server itself may call it', async () => {
    const target = await start(createFixture().server);
    const answer = await post(target, initializeMessage('2025-11-25'), { origin: target.origin });
    expect(answer.status).toBe(200);
  });
});

it('pages may use the old transport too', async () => {
  const { server } = createFixture();
  const handle = await server.http({ legacySse: true, allowedOrigins: [APP] });
  const headers = { origin: APP, accept: 'text/event-stream' };
  const stream = await sendTo(handle.origin, { method: 'GET', path: '/sse', headers });
  expect(stream.header('access-control-allow-origin')).toBe(APP);
  const asked = await sendTo(handle.origin, { ...preflight(APP), path: '/messages' });
  expect([asked.status, asked.header('access-control-allow-methods')]).toEqual([204, 'POST']);
  stream.drop();
  await server.close({ drain: 0 });
});
