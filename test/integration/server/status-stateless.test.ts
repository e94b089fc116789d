/** Which status answers a stateless client (2026-07-28, Streamable HTTP). */

import { expect, it } from 'vitest';
import { methodNotFound } from '../../../src/protocol/errors.js';
import { createServer } from '../../../src/server/index.js';
import { initializeMessage, post, stateless, statelessCall, statelessTool } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { describeMatrix } from '../../support/http-target.js';
import { STATELESS_VERSION, textOf } from '../../support/wire-peer.js';

describeMatrix('a stateless client', (start) => {
  it('gets the result of a request as one JSON object', async () => {
    const target = await start(createFixture().server);
    const answer = await statelessTool(target, 'echo', { text: 'hi' }, { id: 'q1' });
    expect(answer.status).toBe(200);
    expect(answer.header('content-type')).toBe('application/json');
    const response = await answer.response();
    expect(response).toMatchObject({ id: 'q1', result: { resultType: 'complete' } });
  });

  it('gets 200 for errors of handlers', async () => {
    const target = await start(createFixture().server);
    const unknown = await statelessTool(target, 'nonexistent');
    expect([unknown.status, (await unknown.error()).code]).toEqual([200, -32602]);
    const cursor = await stateless(target, 'tools/list', { cursor: 'bad' });
    expect([cursor.status, (await cursor.error()).code]).toEqual([200, -32602]);
    const missing = await stateless(target, 'resources/read', { uri: 'test://missing' });
    expect([missing.status, (await missing.error()).code]).toEqual([200, -32602]);
    const crashed = await statelessTool(target, 'crash');
    expect([crashed.status, (await crashed.result()).isError]).toEqual([200, true]);
  });

  it('gets 200 when a handler answers with -32601, as servers do for an unknown tool', async () => {
    const { server } = createFixture();
    server.use({
      call: () => {
        throw methodNotFound('no such tool');
      },
    });
    const target = await start(server);
    const answer = await statelessTool(target, 'nonexistent');
    expect([answer.status, (await answer.error()).code]).toEqual([200, -32601]);
  });

  it('gets 202 and no body for a notification', async () => {
    const target = await start(createFixture().server);
    const { body, headers } = statelessCall('notifications/cancelled', { requestId: 1 });
    const answer = await post(target, { ...body, id: undefined }, headers);
    expect([answer.status, await answer.text()]).toEqual([202, '']);
  });

  it('gets 400 for what is not JSON or no message', async () => {
    const target = await start(createFixture().server);
    const { headers } = statelessCall('tools/list');
    for (const [body, code] of [
      ['{', -32700],
      ['7', -32600],
      ['{"jsonrpc":"2.0","id":1}', -32600],
    ] as const) {
      const answer = await post(target, body, headers);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { code } });
    }
  });

  it('gets 400 for a batch and for a response', async () => {
    const target = await start(createFixture().server);
    const { body, headers } = statelessCall('tools/list');
    for (const sent of [[body], [], { jsonrpc: '2.0', id: 1, result: {} }]) {
      const answer = await post(target, sent, headers);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { code: -32600 } });
    }
  });

  it('gets 404 with -32601 for a method that does not exist, legacy ones included', async () => {
    const target = await start(createFixture().server);
    for (const method of [
      'tools/lst',
      'initialize',
      'ping',
      'logging/setLevel',
      'resources/subscribe',
      'tasks/list',
    ]) {
      const answer = await stateless(target, method, {}, { id: method });
      expect([method, answer.status]).toEqual([method, 404]);
      expect(await answer.response()).toMatchObject({ id: method, error: { code: -32601 } });
    }
  });

  it('gets 404 with -32601 for methods of a capability that is not there', async () => {
    const server = createServer({ name: 'bare', version: '1' });
    const target = await start(server);
    for (const method of [
      'tools/list',
      'tools/call',
      'prompts/list',
      'resources/read',
      'completion/complete',
    ]) {
      const answer = await stateless(target, method, { name: 'x', uri: 'test://x' });
      expect([method, answer.status, (await answer.error()).code]).toEqual([method, 404, -32601]);
    }
  });

  it('gets 400 with -32021 when a tool needs a capability that it lacks', async () => {
    const target = await start(createFixture().server);
    for (const tool of ['sampler', 'sample']) {
      const answer = await statelessTool(target, tool, {}, { id: 'c' });
      expect([tool, answer.status]).toEqual([tool, 400]);
      expect(await answer.response()).toMatchObject({
        id: 'c',
        error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
      });
    }
    const able = await statelessTool(target, 'sampler', {}, { capabilities: { sampling: {} } });
    expect(able.status).toBe(200);
  });

  it('gets 400 with -32022 for a version that is not served, with those that are', async () => {
    const target = await start(createFixture().server);
    const version = '2030-01-01';
    const answer = await stateless(
      target,
      'tools/list',
      {},
      {
        id: 'v',
        meta: { 'io.modelcontextprotocol/protocolVersion': version },
        headers: { 'mcp-protocol-version': version },
      },
    );
    expect(answer.status).toBe(400);
    expect(await answer.response()).toMatchObject({
      id: 'v',
      error: { code: -32022, data: { supported: [STATELESS_VERSION], requested: version } },
    });
  });

  it('gets 406 when it accepts nothing that the server can send', async () => {
    const target = await start(createFixture().server);
    const answer = await stateless(target, 'tools/list', {}, { headers: { accept: 'text/html' } });
    expect(answer.status).toBe(406);
  });

  it('gets 406 for a subscription when it accepts no events', async () => {
    const target = await start(createFixture().server);
    const answer = await stateless(
      target,
      'subscriptions/listen',
      { notifications: {} },
      { headers: { accept: 'application/json' } },
    );
    expect(answer.status).toBe(406);
  });

  it('is answered as events when it accepts nothing else', async () => {
    const target = await start(createFixture().server);
    const headers = { accept: 'text/event-stream' };
    const answer = await statelessTool(target, 'echo', { text: 'hi' }, { headers });
    expect(answer.isStream).toBe(true);
    expect(textOf(await answer.result())).toBe('hi');
  });

  it('gets 413 and 415 like everyone else', async () => {
    const target = await start(createFixture({ http: { limits: { bodyBytes: 2000 } } }).server);
    expect((await statelessTool(target, 'echo', { text: 'x'.repeat(3000) })).status).toBe(413);
    const plain = await statelessTool(target, 'echo', {}, { headers: { 'content-type': 'text/plain' } });
    expect(plain.status).toBe(415);
  });

  it('is never given a session, and none that it names matters', async () => {
    const target = await start(createFixture().server);
    for (const headers of [{ 'mcp-session-id': 'made-up' }, { 'last-event-id': 'x.1' }]) {
      const answer = await statelessTool(target, 'echo', { text: 'hi' }, { headers });
      expect(answer.status).toBe(200);
      expect(answer.header('mcp-session-id')).toBeUndefined();
      expect(await answer.text()).not.toContain('\nid:');
    }
  });

  it('gets an error with its id when a result cannot be encoded', async () => {
    const { server, errors } = createFixture();
    const target = await start(server);
    for (const meta of [{}, { progressToken: 1 }]) {
      const answer = await statelessTool(target, 'unencodable', {}, { id: 'u', meta });
      expect(answer.status).toBe(200);
      expect(await answer.response()).toMatchObject({ id: 'u' });
    }
    expect(errors).toHaveLength(2);
  });
});

describeMatrix('a server of the stateless revision alone', (start) => {
  const modernOnly = () => createFixture({ revisions: [STATELESS_VERSION] });

  it('answers GET and DELETE with 405', async () => {
    const target = await start(modernOnly().server);
    for (const method of ['GET', 'DELETE']) {
      const answer = await target.send({ method, headers: { accept: 'text/event-stream' } });
      expect([method, answer.status, answer.header('allow')]).toEqual([method, 405, 'POST']);
    }
  });

  it('refuses initialize with 400 and names what it speaks', async () => {
    const target = await start(modernOnly().server);
    const answer = await post(target, initializeMessage('2025-11-25', {}, 3));
    expect(answer.status).toBe(400);
    const body = await answer.text();
    expect(JSON.parse(body)).toMatchObject({ id: 3 });
    expect(body).toContain(STATELESS_VERSION);
    expect(answer.header('mcp-session-id')).toBeUndefined();
  });

  it('serves no batch, whatever its headers say', async () => {
    const target = await start(modernOnly().server);
    const echo = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: {} } };
    for (const version of [undefined, '2025-03-26', STATELESS_VERSION]) {
      const answer = await post(target, [echo], { 'mcp-protocol-version': version });
      expect([version, answer.status]).toEqual([version, 400]);
      expect(await answer.json()).toMatchObject({ error: { code: -32600 } });
    }
  });

  it('serves no request without an envelope', async () => {
    const target = await start(modernOnly().server);
    const answer = await post(target, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect([answer.status, (await answer.error()).code]).toEqual([400, -32602]);
  });
});
