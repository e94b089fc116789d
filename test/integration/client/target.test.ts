import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/index.js';
import { createMemoryPair } from '../../../src/transports/memory.js';
import { handshakeServer } from '../../support/scripted-server.js';

/** A handshake server as a program: one line in, one line out. `QUIT_ON_PROBE` makes it leave when probed. */
const PROGRAM = `
  process.stderr.write('starting\\n');
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const send = (body) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...body }) + '\\n');
    if (method === 'server/discover') {
      if (process.env.QUIT_ON_PROBE) process.exit(1);
      return send({ error: { code: -32601, message: 'Method not found' } });
    }
    if (method === 'initialize') {
      return send({ result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'p', version: '1' } } });
    }
    if (method === 'tools/call' && params.name === 'crash') {
      process.stderr.write('no database\\n', () => process.exit(3));
      return;
    }
    if (method === 'tools/call') return send({ result: { content: [{ type: 'text', text: params.arguments.text }] } });
  });
`;

describe('a program as target', () => {
  it('is started, spoken to and ended', async () => {
    const client = await connect({ command: process.execPath, args: ['-e', PROGRAM] });
    const result = await client.tools.call('echo', { text: 'grüße\n\u2028' });
    expect(result.content).toEqual([{ type: 'text', text: 'grüße\n\u2028' }]);
    await client.close();
    await expect(client.tools.call('echo')).rejects.toMatchObject({ code: 'connection_closed' });
  });

  it('is started again when the probe made it leave', async () => {
    const client = await connect({
      command: process.execPath,
      args: ['-e', PROGRAM],
      env: { QUIT_ON_PROBE: '1' },
    });
    expect(client.server?.name).toBe('p');
    await client.close();
  });

  it('takes calls with it when it dies, and says why', async () => {
    const client = await connect({ command: process.execPath, args: ['-e', PROGRAM] });
    const call = client.tools.call('crash');
    await expect(call).rejects.toMatchObject({
      code: 'connection_closed',
      exitCode: 3,
      message: expect.stringMatching(/exit code 3.*no database/s),
    });
  });

  it('that ends at once is reported with its last words', async () => {
    const failing = connect({
      command: process.execPath,
      args: ['-e', 'console.error("bad config"); process.exit(2)'],
    });
    await expect(failing).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('bad config'),
    });
  });

  it('that does not exist is reported as such', async () => {
    await expect(connect({ command: 'no-such-program-anywhere' })).rejects.toMatchObject({
      code: 'spawn_failed',
    });
  });
});

describe('other targets', () => {
  it('may be a transport, once', async () => {
    const server = handshakeServer();
    const transport = server.transport();
    await connect(transport);
    await expect(connect(transport)).rejects.toMatchObject({ code: 'already_started' });
  });

  it('may be anything that gives a transport, at once or later', async () => {
    const server = handshakeServer();
    await connect({ transport: async () => server.transport() });
    expect(server.connections).toBe(1);
  });

  it.each([
    ['node server.js'],
    [new URL('ftp://example.com/mcp')],
    [{ url: 'file:///etc/passwd' }],
    [{} as never],
    [null as never],
    [5 as never],
  ])('are refused with what to pass instead: %j', async (target) => {
    await expect(connect(target)).rejects.toMatchObject({ code: 'unsupported_target' });
  });

  it('are closed when the attempt fails', async () => {
    const [ours, theirs] = createMemoryPair();
    const closed = new Promise((resolve) => {
      void theirs.start({
        message: (decoded) => {
          if (decoded.kind !== 'request') return;
          const error = { code: -32603, message: 'no' };
          void theirs.send({ jsonrpc: '2.0', id: decoded.message.id, error });
        },
        fault: () => {},
        closed: resolve,
      });
    });
    await expect(connect(ours)).rejects.toMatchObject({ code: 'handshake_failed' });
    expect(await closed).toEqual({ kind: 'remote' });
  });
});
