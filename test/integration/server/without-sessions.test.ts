/** The handshake era without sessions: every request by itself. */

import { expect, it } from 'vitest';
import { initializeMessage, post } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { describeMatrix } from '../../support/http-target.js';
import { textOf } from '../../support/wire-peer.js';

describeMatrix('an endpoint without sessions', (start) => {
  const open = () => createFixture({ http: { sessions: false } });

  it('opens none, and serves every request by its own headers', async () => {
    const target = await start(open().server);
    const opening = await post(target, initializeMessage('2025-11-25'));
    expect(opening.status).toBe(200);
    expect(opening.header('mcp-session-id')).toBeUndefined();
    const initialized = await post(target, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(initialized.status).toBe(202);
    const call = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: 'x' } },
    };
    const answer = await post(target, call, { 'mcp-protocol-version': '2025-11-25' });
    expect(textOf(await answer.result())).toBe('x');
  });

  it('takes a request without a version header for 2025-03-26', async () => {
    const target = await start(open().server);
    const batch = [{ jsonrpc: '2.0', id: 1, method: 'ping' }];
    expect((await post(target, batch)).status).toBe(200);
    expect((await post(target, batch, { 'mcp-protocol-version': '2025-11-25' })).status).toBe(400);
  });

  it('takes it for the newest revision it has when that one is not served', async () => {
    const { server } = createFixture({ http: { sessions: false }, revisions: ['2025-06-18', '2025-11-25'] });
    const answer = await post(await start(server), { jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(answer.status).toBe(200);
  });

  it('gets 400 for a version header that is not supported', async () => {
    const target = await start(open().server);
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await post(target, ping, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
  });

  it('answers GET and DELETE with 405', async () => {
    const target = await start(open().server);
    for (const method of ['GET', 'DELETE']) {
      const answer = await target.send({ method, headers: { accept: 'text/event-stream' } });
      expect([method, answer.status]).toEqual([method, 405]);
    }
  });

  it('ignores session ids', async () => {
    const target = await start(open().server);
    const headers = { 'mcp-session-id': 'made-up' };
    expect((await post(target, { jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status).toBe(200);
    expect((await post(target, initializeMessage('2025-11-25'), headers)).status).toBe(200);
  });

  it('sends notifications of a call as events, without ids to come back to', async () => {
    const target = await start(open().server);
    const call = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'progress', _meta: { progressToken: 'p' } },
    };
    const answer = await post(target, call, { 'mcp-protocol-version': '2025-11-25' });
    expect(answer.isStream).toBe(true);
    expect((await answer.messages()).map(({ method }) => method)).toEqual([
      'notifications/progress',
      'notifications/progress',
      'notifications/progress',
      undefined,
    ]);
    expect(answer.events.some((event) => event.id !== undefined)).toBe(false);
  });

  it('refuses to ask the client rather than waiting for ever', async () => {
    const target = await start(open().server);
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'roots' } };
    const answer = await post(target, call, { 'mcp-protocol-version': '2025-11-25' });
    expect((await answer.messages()).map(({ method }) => method)).toEqual([undefined]);
  });
});

describeMatrix('an endpoint with optional sessions', (start) => {
  const open = () => createFixture({ http: { sessions: 'optional' } });
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

  it('opens sessions, and serves requests that name none', async () => {
    const target = await start(open().server);
    const opening = await post(target, initializeMessage('2025-11-25'));
    const session = opening.header('mcp-session-id');
    expect(session).toBeTypeOf('string');
    const versioned = { 'mcp-protocol-version': '2025-11-25' };
    for (const headers of [versioned, { ...versioned, 'mcp-session-id': String(session) }]) {
      const call = {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'echo', arguments: { text: 'x' } },
      };
      expect(textOf(await (await post(target, call, headers)).result())).toBe('x');
    }
  });

  it('still refuses sessions that do not exist, and streams without one', async () => {
    const target = await start(open().server);
    expect((await post(target, ping, { 'mcp-session-id': 'made-up' })).status).toBe(404);
    const stream = await target.send({ method: 'GET', headers: { accept: 'text/event-stream' } });
    expect(stream.status).toBe(400);
    expect((await target.send({ method: 'DELETE', headers: {} })).status).toBe(400);
  });
});
