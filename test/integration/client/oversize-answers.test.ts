/** An answer that is too long to read fails its call at once, and the connection goes on. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { type ConnectOptions, connect, type Target } from '../../../src/client/index.js';
import { event, events, handshakeScript, json, result, scriptedServer } from '../../support/scripted-http.js';

const LIMIT = 4_096;
/** A call that waited for its time-out would fail with another code. */
const OPTIONS: ConnectOptions = { maxFrameBytes: LIMIT, revisions: ['2025-11-25'], timeout: 60_000 };

/** A server of lines, which writes answers the way it is told: the official SDK, for one, puts the id last. */
function lineServer(write: string): Target {
  const source = `
    const write = (id, result) => ${write};
    const send = (line) => process.stdout.write(line + '\\n');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize') send(write(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }));
      else if (method === 'tools/call') send(write(id, { content: [{ type: 'text', text: params.name === 'long' ? '"id":1,'.repeat(2000) : 'short' }] }));
    });`;
  return { command: process.execPath, args: ['-e', source] };
}

const WRITERS = [
  ['id before the result', `JSON.stringify({ jsonrpc: '2.0', id, result })`],
  ['id behind the result', `JSON.stringify({ result, jsonrpc: '2.0', id })`],
  ['id last, with spaces', `JSON.stringify({ jsonrpc: '2.0', result, id }, null, ' ').replace(/\\n/g, ' ')`],
] as const;

describe('over stdio', () => {
  it.each(WRITERS)('is found by its %s', async (_name, write) => {
    const client = await connect(lineServer(write), OPTIONS);
    onTestFinished(() => client.close());
    const running = [client.tools.call('long'), client.tools.call('short')];
    await expect(running[0]).rejects.toMatchObject({
      code: 'too_large',
      mayHaveActed: true,
      message: expect.stringMatching(/too long to read.*limit is 4096.*raise maxFrameBytes/),
    });
    expect(await running[1]).toMatchObject({ content: [{ text: 'short' }] });
    expect(await client.tools.call('short')).toMatchObject({ content: [{ text: 'short' }] });
    expect(client.state).toBe('ready');
  });

  it('leaves the call alone that a long question of the server has the id of', async () => {
    const source = `
      const send = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, params } = JSON.parse(line);
        if (method === 'initialize') send({ jsonrpc: '2.0', id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
        else if (method === 'tools/call') {
          send({ jsonrpc: '2.0', id, method: 'sampling/createMessage', params: { messages: 'x'.repeat(9000) } });
          send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(9000) }, id });
          send({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'answered' }] } });
        }
      });`;
    const client = await connect({ command: process.execPath, args: ['-e', source] }, OPTIONS);
    onTestFinished(() => client.close());
    expect(await client.tools.call('x')).toMatchObject({ content: [{ text: 'answered' }] });
  });
});

describe('over HTTP', () => {
  const long = { content: [{ type: 'text', text: 'x'.repeat(3 * LIMIT) }] };
  const short = { content: [{ type: 'text', text: 'short' }] };

  it.each([
    ['a body', 'json'],
    ['an event on a stream that the server keeps open', 'open'],
    ['an event in pieces', 'pieces'],
    ['an event that never ends, on a connection that does', 'cut'],
  ] as const)('as %s', async (_name, kind) => {
    const server = await scriptedServer(
      handshakeScript(({ message }, response) => {
        if (message.method !== 'tools/call') return false;
        if (message.params?.name !== 'long') json(response, 200, result(message.id, short));
        else if (kind === 'json') json(response, 200, result(message.id, long));
        else {
          // As the official SDK writes it: what says whose answer it is comes last.
          const text = event({ result: long, jsonrpc: '2.0', id: message.id }, 'event-1');
          const middle = text.length / 2;
          if (kind === 'open') events(response, text);
          else if (kind === 'pieces') {
            events(response, text.slice(0, middle));
            setImmediate(() => response.write(text.slice(middle)));
          } else events(response, text.slice(0, -2)).end();
        }
        return true;
      }),
    );
    const client = await connect(server.url, OPTIONS);
    onTestFinished(() => client.close());
    await expect(client.request('tools/call', { name: 'long' })).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('raise max'),
    });
    expect(await client.request('tools/call', { name: 'short' })).toMatchObject(short);
  });

  it('as an event on the server’s own stream', async () => {
    let own: { write(text: string): unknown } | undefined;
    const server = await scriptedServer(
      handshakeScript(({ method, message }, response) => {
        if (method === 'GET') {
          own = events(response, ': open\n\n');
          return true;
        }
        if (message.method !== 'tools/call') return false;
        response.writeHead(202).end();
        own?.write(event({ result: long, jsonrpc: '2.0', id: message.id }));
        return true;
      }),
    );
    const client = await connect(server.url, OPTIONS);
    onTestFinished(() => client.close());
    await expect(client.request('tools/call', { name: 'x' })).rejects.toMatchObject({ code: 'too_large' });
    expect(client.state).toBe('ready');
  });
});
