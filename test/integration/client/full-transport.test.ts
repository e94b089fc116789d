/** A server that stops reading: calls that find no room say so, and the connection is not taken for closed. */

import { expect, it, onTestFinished } from 'vitest';
import { connect, mayHaveActed } from '../../../src/client/index.js';
import { createStdioTransport } from '../../../src/transports/stdio/index.js';
import { turn } from '../../support/scripted-server.js';

const SERVER = `
  const send = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
  let text = '';
  process.stdin.on('data', (chunk) => {
    text += chunk;
    for (let end = text.indexOf('\\n'); end !== -1; end = text.indexOf('\\n')) {
      const { id, method, params } = JSON.parse(text.slice(0, end));
      text = text.slice(end + 1);
      if (method === 'initialize') send({ jsonrpc: '2.0', id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
      else if (id !== undefined) send({ jsonrpc: '2.0', id, result: { content: [] } });
      if (params?.name === 'pause') process.stdin.pause();
    }
  });
  setInterval(() => {}, 60_000);
  // The way to wake it up that is not its input.
  process.on('SIGUSR2', () => process.stdin.resume());`;

it('fails with queue_full, nothing sent, and goes on once there is room', async () => {
  let pid = 0;
  const source = {
    transport: () => {
      const transport = createStdioTransport({
        command: process.execPath,
        args: ['-e', SERVER],
        maxQueueBytes: 300_000,
      });
      return {
        label: transport.label,
        start: async (receiver: Parameters<typeof transport.start>[0]) => {
          await transport.start(receiver);
          pid = transport.pid ?? 0;
        },
        send: transport.send.bind(transport),
        close: transport.close.bind(transport),
      };
    },
  };
  const client = await connect(source, { revisions: ['2025-11-25'] });
  onTestFinished(() => client.close());
  await client.tools.call('pause');
  const filler = 'x'.repeat(100_000);
  // What is handed over at once has room; that the server does not read shows afterwards.
  const filling = Array.from({ length: 12 }, () => client.tools.call('fill', { filler }));
  await turn();
  await turn();
  // One line always has a place to wait.
  filling.push(client.tools.call('fill', { filler }));
  const failure = await client.tools.call('fill', { filler }).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 'queue_full',
    message: expect.stringMatching(/not reading.*maxQueueBytes/s),
  });
  expect(mayHaveActed(failure)).toBe(false);
  expect(client.state).toBe('ready');
  process.kill(pid, 'SIGUSR2');
  await Promise.all(filling);
  expect(await client.tools.call('fill')).toMatchObject({ content: [] });
});
