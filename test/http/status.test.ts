/** Which status answers what, in every revision (Streamable HTTP, sending messages to the server). */

import { describe, expect, it } from 'vitest';
import { createServer } from '../../src/server/index.js';
import {
  initializeMessage,
  post,
  SessionPeer,
  stateless,
  statelessCall,
  statelessTool,
} from '../support/http-peer.js';
import { createFixture } from '../support/http-server.js';
import { describeMatrix } from '../support/http-target.js';
import { STATELESS_VERSION, textOf } from '../support/wire-peer.js';

/** Handshake revisions that have Streamable HTTP. */
const STREAMABLE = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;

describeMatrix('a handshake client', (start) => {
  describe.each(STREAMABLE)('of revision %s', (version) => {
    it('gets the result of a request as one JSON object', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      const answer = await peer.tool('echo', { text: 'hi' }, { id: 'seven' });
      expect(answer.status).toBe(200);
      expect(answer.header('content-type')).toBe('application/json');
      const response = await answer.response();
      expect(response.id).toBe('seven');
      expect(textOf(response.result ?? {})).toBe('hi');
    });

    it('gets 202 and no body for a notification', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      const answer = await peer.notify('notifications/roots/list_changed');
      expect(answer.status).toBe(202);
      expect(answer.header('content-type')).toBeUndefined();
      expect(await answer.text()).toBe('');
    });

    it('gets 202 and no body for a notification that nobody knows', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      const answer = await peer.notify('notifications/of/no/use');
      expect([answer.status, await answer.text()]).toEqual([202, '']);
    });

    it('gets 202 and no body for a response', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      for (const message of [
        { jsonrpc: '2.0', id: 'nobody asked', result: {} },
        { jsonrpc: '2.0', id: 'nobody asked', error: { code: -1, message: 'no' } },
      ]) {
        const answer = await peer.post(message);
        expect([answer.status, await answer.text()]).toEqual([202, '']);
      }
    });

    it('gets 200 with -32601 for a method that does not exist', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      for (const method of ['tools/lst', 'server/discover', 'subscriptions/listen']) {
        const answer = await peer.request(method, {}, { id: 5 });
        expect(answer.status).toBe(200);
        expect(await answer.response()).toMatchObject({ id: 5, error: { code: -32601 } });
      }
    });

    it('gets 200 with -32602 for an unknown tool', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      const answer = await peer.tool('nonexistent');
      expect(answer.status).toBe(200);
      expect((await answer.error()).code).toBe(-32602);
    });

    it('gets 400 with -32700 for what is not JSON', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      for (const body of ['{', '', 'null null', '\ufeff{}']) {
        const answer = await peer.post(body);
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ error: { code: -32700 } });
      }
    });

    it('gets 400 with -32600 for JSON that is no message, with the id where it can be read', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      for (const body of [7, 'x', null, {}, { jsonrpc: '1.0', method: 'ping' }]) {
        const answer = await peer.post(JSON.stringify(body));
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ error: { code: -32600 } });
      }
      const readable = await peer.post({ jsonrpc: '2.0', id: 9, method: 7 });
      expect(readable.status).toBe(400);
      expect(await readable.json()).toMatchObject({ id: 9, error: { code: -32600 } });
    });

    it('gets 400 for a notification that is malformed', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      expect((await peer.post({ jsonrpc: '2.0', method: 'notifications/x', params: 7 })).status).toBe(400);
    });

    it('gets 400 for a second initialize in its session', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      const answer = await peer.post(initializeMessage(version, {}, 11));
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ id: 11, error: { code: -32600 } });
    });

    it('gets 406 when it accepts nothing that the server can send', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      const headers = { accept: 'text/html' };
      expect((await peer.request('ping', {}, { headers })).status).toBe(406);
      expect((await peer.stream(undefined, { accept: 'application/json' })).status).toBe(406);
    });

    it('is answered in whichever form it accepts', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      for (const [accept, type] of [
        ['application/json', 'application/json'],
        ['*/*', 'application/json'],
        ['application/*;q=0.1', 'application/json'],
        ['text/event-stream', 'text/event-stream'],
        ['application/json;q=0, */*', 'text/event-stream'],
      ]) {
        const answer = await peer.tool('echo', { text: 'hi' }, { headers: { accept } });
        expect([accept, answer.status, answer.header('content-type')]).toEqual([accept, 200, type]);
        expect(textOf(await answer.result())).toBe('hi');
      }
    });

    it('gets 415 for a body that is not declared as JSON', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', undefined]) {
        // The fetch adapter's Request declares text where nothing is said.
        const answer = await peer.request('ping', {}, { headers: { 'content-type': type } });
        expect(answer.status).toBe(415);
      }
    });

    it('gets 413 for a body beyond the limit', async () => {
      const target = await start(createFixture({ http: { limits: { bodyBytes: 2000 } } }).server);
      const peer = await SessionPeer.open(target, version);
      expect((await peer.tool('echo', { text: 'x'.repeat(3000) })).status).toBe(413);
      expect((await peer.tool('echo', { text: 'x'.repeat(100) })).status).toBe(200);
    });

    it('gets 405 and the methods that there are for any other method', async () => {
      const target = await start(createFixture().server);
      for (const method of ['PUT', 'PATCH', 'HEAD']) {
        const answer = await target.send({ method });
        expect([method, answer.status]).toEqual([method, 405]);
        expect(answer.header('allow')).toBe('GET, POST, DELETE');
      }
    });
  });

  it.each(['2025-06-18', '2025-11-25'])('of revision %s gets 400 for any batch', async (version) => {
    const peer = await SessionPeer.open(await start(createFixture().server), version);
    for (const body of [[], [{ jsonrpc: '2.0', id: 1, method: 'ping' }], [{ jsonrpc: '2.0', method: 'x' }]]) {
      const answer = await peer.post(body);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { code: -32600 } });
    }
  });

  it.each(['2025-06-18', '2025-11-25'])(
    'of revision %s gets 400 for a version header that is not supported',
    async (version) => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      for (const header of ['1999-01-01', 'DRAFT', '', '2025-11-25, 2025-06-18']) {
        const headers = { 'mcp-protocol-version': header };
        const request = await peer.request('ping', {}, { id: 3, headers });
        expect([header, request.status]).toEqual([header, 400]);
        expect(await request.json()).toMatchObject({ id: 3 });
        expect((await peer.post({ jsonrpc: '2.0', method: 'notifications/x' }, headers)).status).toBe(400);
        expect((await peer.stream(undefined, headers)).status).toBe(400);
        expect((await peer.end(headers)).status).toBe(400);
      }
      expect((await peer.request('ping')).status).toBe(200);
    },
  );

  it.each(['2025-06-18', '2025-11-25'])(
    'of revision %s is served without a version header: its session knows',
    async (version) => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      const headers = { 'mcp-protocol-version': undefined };
      expect((await peer.request('ping', {}, { headers })).status).toBe(200);
      // Batches tell which revision it is taken for.
      const batch = await peer.post([{ jsonrpc: '2.0', id: 1, method: 'ping' }], headers);
      expect(batch.status).toBe(400);
    },
  );

  it('is served when its header names another handshake revision: the session decides', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-11-25');
    const headers = { 'mcp-protocol-version': '2025-06-18' };
    expect((await peer.request('ping', {}, { headers })).status).toBe(200);
  });

  it('of 2025-03-26 is not judged by a header that its revision does not have', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const headers = { 'mcp-protocol-version': '1999-01-01' };
    expect((await peer.request('ping', {}, { headers })).status).toBe(200);
  });

  it('may initialize without a version header, and with any', async () => {
    const target = await start(createFixture().server);
    for (const header of [undefined, '2025-11-25', '2024-11-05', '1999-01-01']) {
      const answer = await post(target, initializeMessage('2025-11-25'), { 'mcp-protocol-version': header });
      expect(answer.status).toBe(200);
      expect((await answer.result()).protocolVersion).toBe('2025-11-25');
    }
  });

  it('is offered the newest handshake revision for one that nobody knows', async () => {
    const target = await start(createFixture().server);
    const answer = await post(target, initializeMessage('1999-01-01'));
    expect((await answer.result()).protocolVersion).toBe('2025-11-25');
  });

  it('may speak 2024-11-05 here too', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2024-11-05');
    expect(textOf(await (await peer.tool('echo', { text: 'old' })).result())).toBe('old');
    expect((await peer.post([{ jsonrpc: '2.0', id: 1, method: 'ping' }])).status).toBe(400);
  });

  it('gets 400 for initialize without a version', async () => {
    const target = await start(createFixture().server);
    const answer = await post(target, { jsonrpc: '2.0', id: 4, method: 'initialize', params: {} });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ id: 4, error: { code: -32602 } });
    expect(answer.header('mcp-session-id')).toBeUndefined();
  });

  it('gets initialize answered as events when it accepts nothing else', async () => {
    const target = await start(createFixture().server);
    const answer = await post(target, initializeMessage('2025-11-25'), { accept: 'text/event-stream' });
    expect(answer.header('content-type')).toBe('text/event-stream');
    expect(answer.header('mcp-session-id')).toBeTruthy();
    expect((await answer.result()).protocolVersion).toBe('2025-11-25');
  });

  it('gets an error with its id when a result cannot be encoded', async () => {
    const { server, errors } = createFixture();
    const peer = await SessionPeer.open(await start(server), '2025-11-25');
    const plain = await peer.tool('unencodable', {}, { id: 'plain' });
    expect(plain.status).toBe(200);
    expect(await plain.response()).toMatchObject({ id: 'plain' });
    const streamed = await peer.tool('unencodable', {}, { id: 'streamed', meta: { progressToken: 1 } });
    expect(await streamed.response()).toMatchObject({ id: 'streamed' });
    expect(await streamed.text()).not.toContain('BigInt');
    expect(errors).toHaveLength(2);
  });
});

describeMatrix('batches of 2025-03-26', (start) => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const echo = (id: unknown, text: string) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text } },
  });

  it('are answered with an array', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const answer = await peer.post([
      ping(1),
      { jsonrpc: '2.0', method: 'notifications/x' },
      echo('b', 'two'),
    ]);
    expect(answer.status).toBe(200);
    const body = await answer.json();
    expect(body).toBeInstanceOf(Array);
    expect(await answer.messages()).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      expect.objectContaining({ id: 'b' }),
    ]);
  });

  it('of one request are answered with an array of one', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const answer = await peer.post([ping(1)]);
    expect(await answer.json()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it('without requests get 202 and no body', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    for (const batch of [
      [{ jsonrpc: '2.0', method: 'notifications/x' }],
      [
        { jsonrpc: '2.0', id: 'a', result: {} },
        { jsonrpc: '2.0', id: 'b', result: {} },
      ],
    ]) {
      const answer = await peer.post(batch);
      expect([answer.status, await answer.text()]).toEqual([202, '']);
    }
  });

  it('never hold initialize', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const answer = await peer.post([initializeMessage('2025-03-26', {}, 8), ping(9)]);
    expect(answer.header('mcp-session-id')).toBeUndefined();
    expect(await answer.messages()).toEqual([
      expect.objectContaining({ id: 8, error: expect.objectContaining({ code: -32600 }) }),
      expect.objectContaining({ id: 9, result: {} }),
    ]);
  });

  it('with initialize open no session', async () => {
    const target = await start(createFixture().server);
    const answer = await post(target, [initializeMessage('2025-03-26')]);
    expect(answer.status).toBe(400);
    expect(answer.header('mcp-session-id')).toBeUndefined();
  });

  it('that are empty get 400 with -32600', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const answer = await peer.post([]);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: -32600 } });
  });

  it('answer what is malformed in its place', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const answer = await peer.post([7, ping(1)]);
    expect(await answer.json()).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]);
  });

  it('answer the others when one cannot be encoded', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const broken = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'unencodable' } };
    const messages = await (await peer.post([broken, echo(2, 'fine')])).messages();
    expect(messages).toHaveLength(2);
    expect(messages.find(({ id }) => id === 2)?.result).toBeTruthy();
  });

  it('become events when something precedes an answer', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const progress = {
      jsonrpc: '2.0',
      id: 'p',
      method: 'tools/call',
      params: { name: 'progress', _meta: { progressToken: 't' } },
    };
    const answer = await peer.post([ping(1), progress]);
    expect(answer.isStream).toBe(true);
    const messages = await answer.messages();
    expect(messages.filter(({ method }) => method === 'notifications/progress')).toHaveLength(3);
    expect(messages.flatMap(({ id }) => (id === undefined ? [] : [id])).sort()).toEqual([1, 'p']);
  });

  it('hold a limited number of messages', async () => {
    const { server } = createFixture({ limits: { batch: 3 } });
    const peer = await SessionPeer.open(await start(server), '2025-03-26');
    expect((await peer.post([ping(1), ping(2), ping(3)])).status).toBe(200);
    expect((await peer.post([ping(1), ping(2), ping(3), ping(4)])).status).toBe(400);
  });
});

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

describeMatrix('a server of handshake revisions alone', (start) => {
  it('does not know the stateless way', async () => {
    const { server } = createFixture({ revisions: ['2025-06-18', '2025-11-25'] });
    const target = await start(server);
    const answer = await stateless(target, 'server/discover');
    expect(answer.status).toBe(400);
    expect((await answer.error()).code).not.toBe(-32022);
    const peer = await SessionPeer.open(target, '2025-11-25');
    expect((await peer.request('ping')).status).toBe(200);
  });

  it('answers an older client with the newest revision it has', async () => {
    const { server } = createFixture({ revisions: ['2025-06-18'] });
    const answer = await post(await start(server), initializeMessage('2025-03-26'));
    expect((await answer.result()).protocolVersion).toBe('2025-06-18');
  });
});

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
