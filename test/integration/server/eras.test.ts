/** Both eras on one endpoint: which one serves a message (Versioning, servers that support both). */

import { expect, it } from 'vitest';
import { initializeMessage, post, SessionPeer, statelessCall, withHeaders } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { describeMatrix, type HttpTarget } from '../../support/http-target.js';
import { envelope, STATELESS_VERSION } from '../../support/wire-peer.js';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

describeMatrix('an endpoint of both eras', (start) => {
  const open = async (): Promise<{ target: HttpTarget; peer: SessionPeer }> => {
    const target = await start(createFixture().server);
    return { target, peer: await SessionPeer.open(target, '2025-03-26') };
  };
  const modernHeaders = (method: string) => ({
    'mcp-protocol-version': STATELESS_VERSION,
    'mcp-method': method,
  });

  it('serves a request with an envelope statelessly', async () => {
    const { target } = await open();
    const { body, headers } = statelessCall('tools/list');
    const answer = await post(target, body, headers);
    expect((await answer.result()).resultType).toBe('complete');
  });

  it('serves it statelessly even when it names a session', async () => {
    const { target, peer } = await open();
    const { body, headers } = statelessCall('tools/list');
    const answer = await post(target, body, { ...headers, 'mcp-session-id': peer.id });
    expect((await answer.result()).resultType).toBe('complete');
  });

  it('opens a session for initialize without an envelope', async () => {
    const { target } = await open();
    const answer = await post(target, initializeMessage('2025-11-25'));
    expect(answer.status).toBe(200);
    expect(answer.header('mcp-session-id')).toBeTruthy();
  });

  it('opens it also when the header names the stateless revision: the body comes first', async () => {
    const { target } = await open();
    const answer = await post(target, initializeMessage('2025-11-25'), modernHeaders('initialize'));
    expect(answer.status).toBe(200);
    expect((await answer.result()).protocolVersion).toBe('2025-11-25');
  });

  it('opens none for initialize with an envelope: that method does not exist there', async () => {
    const { target } = await open();
    const { body, headers } = statelessCall('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
    });
    const answer = await post(target, body, headers);
    expect([answer.status, (await answer.error()).code]).toEqual([404, -32601]);
    expect(answer.header('mcp-session-id')).toBeUndefined();
  });

  it('refuses a request without an envelope whose header promises one', async () => {
    const { target } = await open();
    const request = { jsonrpc: '2.0', id: 6, method: 'tools/list', params: {} };
    const answer = await post(target, request, modernHeaders('tools/list'));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ id: 6, error: { code: -32602 } });
  });

  it('does not accept a session in place of the envelope that the header promises', async () => {
    const { peer } = await open();
    const answer = await peer.request('tools/list', {}, { headers: modernHeaders('tools/list') });
    expect([answer.status, (await answer.error()).code]).toEqual([400, -32602]);
  });

  it('serves a request with a session and without an envelope by its session', async () => {
    const { peer } = await open();
    const result = await (await peer.request('tools/list')).result();
    expect(result).not.toHaveProperty('resultType');
    expect(result).not.toHaveProperty('ttlMs');
  });

  it('refuses a request without envelope, header and session', async () => {
    const { target } = await open();
    const answer = await post(target, { jsonrpc: '2.0', id: 6, method: 'tools/list' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ id: 6, error: { code: -32600 } });
  });

  it('takes notifications and responses without an envelope for those of a session', async () => {
    const { target, peer } = await open();
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/x' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      expect((await peer.post(message)).status).toBe(202);
      expect((await post(target, message)).status).toBe(400);
    }
  });

  it('judges them by the stateless revision when the header names it', async () => {
    const { target } = await open();
    const headers = { 'mcp-protocol-version': STATELESS_VERSION };
    const notification = await post(target, { jsonrpc: '2.0', method: 'notifications/x' }, headers);
    expect(notification.status).toBe(202);
    expect((await post(target, { jsonrpc: '2.0', id: 1, result: {} }, headers)).status).toBe(400);
  });

  it('serves a batch by the session when nothing in it is stateless', async () => {
    const { peer } = await open();
    const answer = await peer.post([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
    expect(await answer.json()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it('refuses a stateless request in a batch, and answers the others', async () => {
    const { peer } = await open();
    const { body } = statelessCall('tools/list');
    const answer = await peer.post([{ jsonrpc: '2.0', id: 'ping', method: 'ping' }, body]);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject([{ id: 'ping', result: {} }, { error: { code: -32600 } }]);
  });

  it('refuses a batch whose header names the stateless revision', async () => {
    const { peer } = await open();
    const headers = { 'mcp-protocol-version': STATELESS_VERSION };
    expect((await peer.post([{ jsonrpc: '2.0', id: 1, method: 'ping' }], headers)).status).toBe(400);
  });

  it('serves GET and DELETE to sessions', async () => {
    const { peer } = await open();
    const stream = await peer.stream();
    expect(stream.status).toBe(200);
    expect((await peer.end()).status).toBe(204);
  });

  it('refuses an envelope that names a handshake revision, and offers none of those', async () => {
    const { target } = await open();
    for (const version of ['2024-11-05', '2025-11-25']) {
      const { body, headers } = statelessCall(
        'tools/list',
        {},
        {
          meta: envelope({}, version),
          headers: { 'mcp-protocol-version': version },
        },
      );
      const answer = await post(target, body, headers);
      expect(answer.status).toBe(400);
      expect(await answer.error()).toMatchObject({ code: -32022, data: { supported: [STATELESS_VERSION] } });
    }
  });

  it('refuses an envelope whose version is no string', async () => {
    const { target } = await open();
    const { body, headers } = statelessCall('tools/list', {}, { meta: { [VERSION_KEY]: 20260728 } });
    const answer = await post(target, body, headers);
    expect([answer.status, (await answer.error()).code]).toEqual([400, -32602]);
  });

  it('never judges handshake traffic by the headers of the stateless revision', async () => {
    const { peer } = await open();
    const headers = { 'mcp-method': 'tools/call', 'mcp-name': 'wrong' };
    expect((await peer.request('ping', {}, { headers })).status).toBe(200);
  });

  it('serves both eras side by side', async () => {
    const { target, peer } = await open();
    const { body, headers } = statelessCall('tools/call', { name: 'echo', arguments: { text: 'new' } });
    const [old, modern] = await Promise.all([
      peer.tool('echo', { text: 'old' }),
      post(target, body, headers),
    ]);
    expect(await old.text()).toContain('old');
    expect(await modern.text()).toContain('new');
  });
});

/**
 * Which of two faults is reported: the one that is checked first. Each row is one fault; a request with the
 * faults of row n and of all rows after it is refused for row n.
 */
describeMatrix('the order of checks', (start) => {
  interface Faults {
    headers: Record<string, string | undefined>;
    body: Record<string, unknown> | unknown[] | string;
    method: string;
    params: Record<string, unknown>;
    meta: Record<string, unknown> | undefined;
  }
  const REMOVE = undefined;

  /** From the last check to the first; each fault is added to those before. */
  const LADDER: readonly (readonly [string, number, number | undefined, (faults: Faults) => void])[] = [
    ['bad arguments', 200, undefined, (faults) => Object.assign(faults.params, { arguments: { region: 7 } })],
    [
      'a missing client capability',
      400,
      -32021,
      (faults) => Object.assign(faults.params, { name: 'guarded' }),
    ],
    [
      'a missing Mcp-Param header',
      400,
      -32020,
      (faults) => Object.assign(faults.headers, { 'mcp-param-region': REMOVE }),
    ],
    ['a method that does not exist', 404, -32601, (faults) => Object.assign(faults, { method: 'tools/lst' })],
    [
      'a wrong Mcp-Name',
      400,
      -32020,
      (faults) => {
        // A method that does not exist has no name to repeat.
        faults.method = 'tools/call';
        faults.headers['mcp-name'] = 'other';
      },
    ],
    ['a wrong Mcp-Method', 400, -32020, (faults) => Object.assign(faults.headers, { 'mcp-method': 'ping' })],
    [
      'a version that is not supported',
      400,
      -32022,
      (faults) => {
        Object.assign(faults.meta ?? {}, { [VERSION_KEY]: '2030-01-01' });
        Object.assign(faults.headers, { 'mcp-protocol-version': '2030-01-01' });
      },
    ],
    [
      'a version header that differs',
      400,
      -32020,
      (faults) => Object.assign(faults.headers, { 'mcp-protocol-version': STATELESS_VERSION }),
    ],
    [
      'no client capabilities',
      400,
      -32602,
      (faults) => {
        delete faults.meta?.['io.modelcontextprotocol/clientCapabilities'];
      },
    ],
    ['no envelope', 400, -32602, (faults) => Object.assign(faults, { meta: undefined })],
    ['a message that is none', 400, -32600, (faults) => Object.assign(faults, { method: 7 })],
    ['a body that is no JSON', 400, -32700, (faults) => Object.assign(faults, { body: '{' })],
    [
      'a body that is not declared as JSON',
      415,
      undefined,
      (faults) => Object.assign(faults.headers, { 'content-type': 'text/plain' }),
    ],
  ];

  const prepare = () => {
    const { server } = createFixture({
      http: {
        authenticate: (request) =>
          request.header('authorization') === 'Bearer bad'
            ? { status: 401, message: 'no', headers: { 'WWW-Authenticate': 'Bearer' } }
            : { principal: undefined },
      },
    });
    server.tool(
      'guarded',
      {
        requires: { sampling: {} },
        input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
      },
      () => 'never',
    );
    return server;
  };

  const request = (height: number) => {
    const faults: Faults = {
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': STATELESS_VERSION,
        'mcp-method': 'tools/call',
        'mcp-name': 'guarded',
        'mcp-param-region': '7',
      },
      body: '',
      method: 'tools/call',
      params: { name: 'mirrored', arguments: { region: '7' } },
      meta: envelope(),
    };
    for (const [, , , spoil] of LADDER.slice(0, height + 1)) spoil(faults);
    // Only from the wrong name on does the name matter; before, the header follows the body.
    if (height < 4) faults.headers['mcp-name'] = String(faults.params.name);
    if (height === 3) faults.headers['mcp-method'] = 'tools/lst';
    const params = faults.meta === undefined ? faults.params : { ...faults.params, _meta: faults.meta };
    const body = faults.body || JSON.stringify({ jsonrpc: '2.0', id: 'x', method: faults.method, params });
    return { headers: faults.headers, body };
  };

  it.each(LADDER.map(([name, status, code], height) => ({ name, status, code, height })))(
    'reports $name before everything that is checked later',
    async ({ status, code, height }) => {
      const target = await start(prepare());
      const { headers, body } = request(height);
      const answer = await post(target, body, headers);
      expect(answer.status).toBe(status);
      const answered = (await answer.json()) as { id?: unknown; error?: { code: number } };
      if (code !== undefined) expect(answered.error?.code).toBe(code);
      // Whenever the id could be read it comes back.
      if (status !== 415 && code !== -32700) expect(answered.id).toBe('x');
    },
  );

  it('reports a wrong method of HTTP before anything in the body', async () => {
    const target = await start(prepare());
    const { headers, body } = request(LADDER.length - 1);
    const answer = await target.send({
      method: 'PUT',
      headers: withHeaders({}, headers),
      body: String(body),
    });
    expect(answer.status).toBe(405);
  });

  it('reports missing credentials before the method of HTTP', async () => {
    const target = await start(prepare());
    for (const method of ['PUT', 'GET', 'DELETE', 'POST']) {
      const answer = await target.send({ method, headers: { authorization: 'Bearer bad' } });
      expect([method, answer.status]).toEqual([method, 401]);
      expect(answer.header('www-authenticate')).toBe('Bearer');
    }
  });

  it('reports a foreign origin before missing credentials', async () => {
    const target = await start(prepare());
    const headers = { authorization: 'Bearer bad', origin: 'http://evil.example' };
    expect((await target.send({ method: 'POST', headers, body: '' })).status).toBe(403);
  });
});
