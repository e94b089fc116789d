/** What a server can make its client keep: questions, pages, cursors and remembered results have limits. */

import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClientFault } from '../../src/client/events.js';
import { connect } from '../../src/client/index.js';
import type { ElicitResult } from '../../src/protocol/model/elicitation.js';
import { HttpConnection } from '../../src/validate/wire/http-connection.js';
import { Recorder } from '../../src/validate/wire/recorder.js';
import { event, events, handshakeScript, json, result, scriptedServer } from '../support/scripted-http.js';

const QUESTIONS = 84_000;
const ASK = { message: 'Really?', requestedSchema: { type: 'object', properties: {} } };

/** Speaks just enough MCP, and does to `tools/call` what the body says. */
function program(body: string): { command: string; args: string[] } {
  const source = `
    const send = (value) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...value }) + '\\n');
    const refused = [];
    let answered = 0;
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const message = JSON.parse(line);
      const { id, method, params } = message;
      if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'hostile', version: '1' } } });
      else if (method === 'tools/call') { ${body} }
      else if (method === undefined) { if (message.error) refused.push(message.error.message); else answered += 1; }
    });`;
  return { command: process.execPath, args: ['-e', source] };
}

describe('a server that asks without end', () => {
  it('has a thousand questions open, and the rest refused with the reason, over stdio', async () => {
    const target = program(`
      if (params.name === 'flood') {
        for (let n = 0; n < ${QUESTIONS}; n += 1) send({ id: 'q' + n, method: 'elicitation/create', params: ${JSON.stringify(ASK)} });
        send({ id, result: { content: [{ type: 'text', text: 'flooded' }] } });
      } else send({ id, result: { content: [{ type: 'text', text: JSON.stringify([answered, refused.length, refused[0]]) }] } });`);
    const faults: ClientFault[] = [];
    const waiting: (() => void)[] = [];
    const client = await connect(target, {
      revisions: ['2025-11-25'],
      elicit: () => new Promise<ElicitResult>((resolve) => waiting.push(() => resolve({ action: 'cancel' }))),
      onFault: (fault) => faults.push(fault),
    });
    onTestFinished(() => client.close());
    expect(await client.tools.call('flood')).toMatchObject({ content: [{ text: 'flooded' }] });
    expect(waiting).toHaveLength(1_000);
    const { content } = await client.tools.call('report');
    const [first] = content;
    const [answered, refused, reason] = JSON.parse(first?.type === 'text' ? first.text : '[]');
    expect(answered).toBe(0);
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(QUESTIONS - 1_000);
    expect(reason).toContain('this client answers 1000 of them');
    expect(faults.map(({ message }) => message)).toEqual([
      expect.stringContaining('Too many questions at once'),
    ]);
    // Answered, they make room for others.
    for (const answer of waiting) answer();
    await client.tools.call('flood');
    expect(waiting).toHaveLength(2_000);
  });

  it('may not make the client keep more bytes of them than the limit', async () => {
    const target = program(`
      const message = 'x'.repeat(1_000_000);
      for (let n = 0; n < 50; n += 1) send({ id: 'q' + n, method: 'elicitation/create', params: { message, requestedSchema: { type: 'object', properties: {} } } });
      send({ id, result: { content: [] } });`);
    let open = 0;
    const client = await connect(target, {
      revisions: ['2025-11-25'],
      maxQuestionBytes: 5_100_000,
      elicit: () => {
        open += 1;
        return new Promise<ElicitResult>(() => {});
      },
    });
    onTestFinished(() => client.close());
    await client.tools.call('x');
    expect(open).toBe(5);
  });

  it('gets no more answers over HTTP than it takes', async () => {
    let posts = 0;
    const server = await scriptedServer(
      handshakeScript(({ message, method }, response) => {
        if (method !== 'POST') return false;
        if (message.method === 'tools/call') {
          const flood = Array.from({ length: 5_000 }, (_, n) =>
            event({ jsonrpc: '2.0', id: `q${n}`, method: 'roots/list' }),
          );
          events(response, ...flood, event(result(message.id, { content: [] }))).end();
          return true;
        }
        if (message.method !== undefined) return false;
        // It never says that it has the answer, so that the client has to keep the request.
        posts += 1;
        return true;
      }),
    );
    const client = await connect(server.url, { revisions: ['2025-11-25'], roots: [], maxQuestions: 10 });
    onTestFinished(() => client.close());
    expect(await client.request('tools/call', { name: 'x' })).toEqual({ content: [] });
    await expect.poll(() => posts).toBe(110);
    expect(await client.request('ping')).toMatchObject({});
    expect(posts).toBe(110);
  });

  it('is refused as a whole when it asks too much in one result', async () => {
    const inputRequests = Object.fromEntries(
      Array.from({ length: QUESTIONS }, (_, n) => [`q${n}`, { method: 'elicitation/create', params: ASK }]),
    );
    const server = await scriptedServer(({ message }, response) => {
      const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
      if (message.method === 'server/discover') {
        const supportedVersions = ['2026-07-28'];
        json(
          response,
          200,
          result(message.id, { ...complete, supportedVersions, capabilities: { tools: {} } }),
        );
      } else json(response, 200, result(message.id, { resultType: 'input_required', inputRequests }));
    });
    let asked = 0;
    const client = await connect(server.url, {
      elicit: () => {
        asked += 1;
        return { action: 'cancel' };
      },
    });
    onTestFinished(() => client.close());
    await expect(client.tools.call('x')).rejects.toMatchObject({
      code: 'too_many_questions',
      message: expect.stringContaining('raise maxQuestions'),
    });
    expect(asked).toBe(0);
  });
});

describe('a list', () => {
  const MEGABYTE = 1024 * 1024;

  /** Pages by number; each has the cursor that it is told to have. */
  async function lists(page: (number: number) => object): Promise<{ url: string; pages(): number }> {
    let pages = 0;
    const server = await scriptedServer(
      handshakeScript(({ message }, response) => {
        if (message.method === 'initialize') {
          const serverInfo = { name: 's', version: '1' };
          const value = { protocolVersion: '2025-11-25', capabilities: { resources: {} }, serverInfo };
          json(response, 200, result(message.id, value));
          return true;
        }
        if (message.method !== 'resources/list') return false;
        pages += 1;
        json(response, 200, { jsonrpc: '2.0', id: message.id, result: page(pages) });
        return true;
      }),
    );
    return { url: server.url, pages: () => pages };
  }

  it('of pages that never end is given up when it has too many bytes', async () => {
    const resource = { uri: 'a:b', name: 'x'.repeat(15.9 * MEGABYTE) };
    const server = await lists((number) => ({ resources: [resource], nextCursor: String(number) }));
    const client = await connect(server.url, { revisions: ['2025-11-25'] });
    onTestFinished(() => client.close());
    await expect(client.resources.list()).rejects.toMatchObject({
      code: 'list_too_large',
      message: expect.stringContaining('raise maxListBytes'),
    });
    expect(server.pages()).toBe(5);
    // Whoever reads item by item keeps nothing, and may go on.
    let seen = 0;
    for await (const _resource of client.resources.each()) {
      seen += 1;
      if (seen === 6) break;
    }
    expect(seen).toBe(6);
  });

  it('of empty pages that never end is given up by their number', async () => {
    const server = await lists((number) => ({ resources: [], nextCursor: String(number) }));
    const client = await connect(server.url, { revisions: ['2025-11-25'], maxPages: 50 });
    onTestFinished(() => client.close());
    await expect(client.resources.list()).rejects.toMatchObject({ code: 'too_many_pages' });
    expect(server.pages()).toBe(50);
  });

  it('whose cursors come back is given up at once', async () => {
    const server = await lists((number) => ({ resources: [], nextCursor: String(number % 3) }));
    const client = await connect(server.url, { revisions: ['2025-11-25'] });
    onTestFinished(() => client.close());
    await expect(client.resources.list()).rejects.toMatchObject({ code: 'invalid_result' });
    expect(server.pages()).toBe(4);
  });

  it('whose cursors are huge is given up, also by those who read item by item', async () => {
    const filler = 'x'.repeat(MEGABYTE);
    const server = await lists((number) => ({ resources: [], nextCursor: `${number}${filler}` }));
    const client = await connect(server.url, { revisions: ['2025-11-25'], maxListBytes: 10 * MEGABYTE });
    onTestFinished(() => client.close());
    const read = async (): Promise<void> => {
      for await (const _resource of client.resources.each());
    };
    await expect(read()).rejects.toMatchObject({ code: 'list_too_large' });
    expect(server.pages()).toBe(10);
  });
});

it('does not make the client remember more bytes of results than the limit', async () => {
  const text = 'x'.repeat(1_000_000);
  const complete = { resultType: 'complete', ttlMs: 3_600_000, cacheScope: 'private' };
  const server = await scriptedServer(({ message }, response) => {
    if (message.method === 'server/discover') {
      const found = { supportedVersions: ['2026-07-28'], capabilities: { resources: {} } };
      json(response, 200, result(message.id, { ...complete, ...found }));
    } else {
      const contents = [{ uri: String(message.params?.uri), text }];
      json(response, 200, result(message.id, { ...complete, contents }));
    }
  });
  const client = await connect(server.url, { cache: { maxBytes: 3_500_000 } });
  onTestFinished(() => client.close());
  const read = async (uri: string): Promise<number> => {
    const before = server.seen.length;
    await client.resources.read(uri);
    return server.seen.length - before;
  };
  const uris = ['a:1', 'a:2', 'a:3', 'a:4'];
  for (const uri of uris) expect(await read(uri)).toBe(1);
  // The oldest had to go; the others are remembered.
  for (const uri of uris.slice(1)) expect(await read(uri)).toBe(0);
  expect(await read('a:1')).toBe(1);
});

it('does not make the validator read an answer that never ends', async () => {
  const server = await scriptedServer((_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const write = (): void => {
      if (!response.destroyed) response.write(piece, write);
    };
    write();
  });
  const connection = new HttpConnection(new Recorder(), {
    url: new URL(server.url),
    headers: {},
    timeoutMs: 20_000,
  });
  onTestFinished(() => connection.close());
  const delivery = await connection.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  await delivery.ended;
  const length = delivery.body().length;
  expect(length).toBeGreaterThan(4 * 1024 * 1024);
  expect(length).toBeLessThanOrEqual(8 * 1024 * 1024);
});
