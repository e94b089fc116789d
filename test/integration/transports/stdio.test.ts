import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { StdioTransportOptions } from '../../../src/transports/stdio/client.js';
import { createStdioTransport, type StdioTransport } from '../../../src/transports/stdio/index.js';
import { fixture, isAlive, untilGone } from '../../support/processes.js';
import { type Recorder, recorder } from '../../support/recorded-messages.js';

const quick = { endOfInput: 50, terminate: 50 };
const open: StdioTransport[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((transport) => transport.close()));
});

type Options = Omit<StdioTransportOptions, 'command' | 'args'> & { args?: string[] };

async function connect(name: string, { args = [], ...options }: Options = {}) {
  const transport = createStdioTransport({
    command: process.execPath,
    args: [fixture(name), ...args],
    ...options,
  });
  open.push(transport);
  const received = recorder();
  await transport.start(received);
  const pid = transport.pid;
  if (pid === undefined) throw new Error('no pid after start');
  return { transport, received, pid };
}

function params(received: Recorder, index = 0): Record<string, unknown> {
  const decoded = received.messages[index];
  if (decoded?.kind !== 'notification') throw new Error(`not a notification: ${received.texts[index]}`);
  return decoded.message.params ?? {};
}

async function grandchildPid(received: Recorder): Promise<number> {
  // The grandchild says "ready" on the same stdout once it ignores SIGTERM.
  await received.until(2);
  const index = received.texts.findIndex((text) => text.includes('grandchild'));
  return Number(params(received, index).pid);
}

describe('messages', () => {
  it('cross in both directions and in order', async () => {
    const { transport, received } = await connect('echo');
    const sent = Array.from({ length: 500 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'é🙂' }) as const);
    for (const message of sent) transport.send(message);
    await received.until(500);
    expect(received.messages.map((decoded) => decoded.kind === 'request' && decoded.message)).toEqual(sent);
    expect(received.faults).toEqual([]);
  });

  it('are assembled from a code point that came in two chunks', async () => {
    const { received } = await connect('bytes', { args: ['split'] });
    await received.until(1);
    expect(params(received)).toEqual({ text: '🙂' });
  });

  it('are found between banners and log lines', async () => {
    const { received } = await connect('noisy');
    await received.until(2);
    expect(received.messages).toMatchObject([
      { kind: 'malformed', reason: '"jsonrpc" must be "2.0"' },
      { kind: 'notification', message: { method: 'ready' } },
    ]);
    expect(received.faults).toMatchObject([{ kind: 'noise', sample: 'Server v1.2 starting...' }]);
  });

  it('follow a line over the limit, which is reported and dropped', async () => {
    const { received } = await connect('bytes', { args: ['huge'] });
    await received.until(1);
    expect(received.faults).toMatchObject([
      { kind: 'oversize', message: expect.stringContaining('20971520'), sample: 'x'.repeat(256) },
    ]);
    expect(received.texts).toEqual(['{"jsonrpc":"2.0","method":"after"}']);
  });

  it('stay one line when prepared JSON has line breaks', async () => {
    const { transport, received } = await connect('echo');
    transport.send('{"jsonrpc":"2.0",\n"method":"x"}');
    await received.until(1);
    expect(received.texts).toEqual(['{"jsonrpc":"2.0", "method":"x"}']);
  });
});

describe('starting', () => {
  it('says which command was not found and where to look', async () => {
    const transport = createStdioTransport({ command: 'no-such-command-here' });
    await expect(transport.start(recorder())).rejects.toMatchObject({
      name: 'TransportError',
      code: 'spawn_failed',
      message: expect.stringMatching(/"no-such-command-here".*PATH/),
    });
    await transport.close();
  });

  it('blames a missing working directory and not the command', async () => {
    const transport = createStdioTransport({ command: process.execPath, cwd: '/no/such/place' });
    await expect(transport.start(recorder())).rejects.toThrow(/working directory "\/no\/such\/place"/);
  });

  it('says when a command may not be executed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plumb-'));
    const command = join(directory, 'server');
    writeFileSync(command, '#!/bin/sh\n');
    chmodSync(command, 0o644);
    const transport = createStdioTransport({ command });
    await expect(transport.start(recorder())).rejects.toThrow(/not executable.*permissions/);
    rmSync(directory, { recursive: true });
  });

  it('happens once', async () => {
    const { transport } = await connect('echo');
    await expect(transport.start(recorder())).rejects.toMatchObject({ code: 'already_started' });
  });

  it('does not happen after close', async () => {
    const transport = createStdioTransport({ command: process.execPath, args: [fixture('echo')] });
    await transport.close();
    await expect(transport.start(recorder())).rejects.toMatchObject({ code: 'already_started' });
  });

  it('can be cut short by close', async () => {
    const transport = createStdioTransport({ command: process.execPath, args: [fixture('echo')] });
    const received = recorder();
    const started = transport.start(received);
    await transport.close();
    await started;
    expect(received.reasons).toEqual([{ kind: 'local' }]);
    expect(isAlive(transport.pid ?? 0)).toBe(false);
  });

  it('refuses to send before it', async () => {
    const transport = createStdioTransport({ command: process.execPath });
    await expect(transport.send('{}')).rejects.toMatchObject({ code: 'connection_closed' });
  });
});

describe('what the child is given', () => {
  it('keeps shell metacharacters as data', async () => {
    const args = ['$(touch /tmp/owned)', '; echo x', '`id`', '"', "'", '*', '| cat', '&& true', '\\', ''];
    const { received } = await connect('report', { args });
    await received.until(1);
    expect(params(received).argv).toEqual(args);
  });

  it('does not include our secrets, unless they are named', async () => {
    process.env.PLUMB_TEST_SECRET = 'hunter2';
    process.env.PLUMB_TEST_WANTED = 'yes';
    try {
      const { received } = await connect('report', {
        env: { TOKEN: 'given' },
        inheritEnv: ['PLUMB_TEST_WANTED'],
      });
      await received.until(1);
      expect(received.texts[0]).not.toContain('hunter2');
      expect(params(received).env).toMatchObject({
        PATH: process.env.PATH,
        TOKEN: 'given',
        PLUMB_TEST_WANTED: 'yes',
      });
      const everything = await connect('report', { inheritEnv: true });
      await everything.received.until(1);
      expect(everything.received.texts[0]).toContain('hunter2');
    } finally {
      delete process.env.PLUMB_TEST_SECRET;
      delete process.env.PLUMB_TEST_WANTED;
    }
  });

  it('includes the working directory', async () => {
    const { received } = await connect('report', { cwd: '/' });
    await received.until(1);
    expect(params(received).cwd).toBe('/');
  });
});

describe('the end of a child', () => {
  it('is reported with its code and the tail of its stderr, after everything it wrote', async () => {
    const logged: string[] = [];
    const { transport, received } = await connect('crash', { onStderr: (line) => logged.push(line) });
    const reason = await received.closing;
    expect(reason).toMatchObject({ kind: 'exit', code: 3, signal: null });
    expect(received.messages).toHaveLength(2_001);
    expect(received.texts.at(-1)).toBe('{"jsonrpc":"2.0","method":"last"}');
    const tail = transport.stderrTail();
    expect(tail).toMatch(/fatal: cannot open the database\n$/);
    expect(tail.length).toBe(64 * 1024);
    expect(reason).toHaveProperty('stderr', tail);
    expect(logged).toEqual([
      expect.stringMatching(/^noise .*\(240000 bytes\)$/),
      'fatal: cannot open the database',
    ]);
    await expect(transport.send('{}')).rejects.toMatchObject({ code: 'connection_closed' });
    await transport.close();
    expect(received.reasons).toHaveLength(1);
  });

  it('takes its descendants with it, and what they said last is heard', async () => {
    const { transport, received } = await connect('grandchild', { shutdown: { terminate: 300 } });
    const pid = await grandchildPid(received);
    expect(isAlive(pid)).toBe(true);
    transport.send('{"crash":true}');
    expect(await received.closing).toMatchObject({ kind: 'exit', code: 1 });
    expect(received.texts.at(-1)).toContain('ignored');
    await untilGone(pid);
  });

  it('is reported even when a process that left the group holds the pipe', async () => {
    const { transport, received } = await connect('grandchild', { args: ['--escape'], shutdown: quick });
    const pid = await grandchildPid(received);
    try {
      transport.send('{"crash":true}');
      expect(await received.closing).toMatchObject({ kind: 'exit', code: 1 });
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  it.each(['input', 'output'])('is brought about when it closes its %s', async (which) => {
    const { transport, received, pid } = await connect('deaf', { args: [which], shutdown: quick });
    await received.until(1);
    if (which === 'input') {
      transport.send('{}');
      expect(await received.faulted).toMatchObject({
        kind: 'write',
        message: expect.stringContaining('EPIPE'),
      });
    }
    expect(await received.closing).toMatchObject({ kind: 'exit', signal: 'SIGTERM' });
    expect(isAlive(pid)).toBe(false);
  });
});

describe('closing', () => {
  it('ends a server that respects the end of its input without a signal', async () => {
    const { transport, received, pid } = await connect('echo');
    transport.send('{"jsonrpc":"2.0","method":"last"}');
    await transport.close();
    expect(received.texts).toEqual(['{"jsonrpc":"2.0","method":"last"}']);
    expect(received.reasons).toEqual([{ kind: 'local' }]);
    expect(isAlive(pid)).toBe(false);
  });

  it('ends a server that ignores the end of its input', async () => {
    const { transport, received, pid } = await connect('never-exits', { shutdown: quick });
    await received.until(1);
    await transport.close();
    expect(isAlive(pid)).toBe(false);
  });

  it('ends a server that ignores SIGTERM too', async () => {
    const { transport, received, pid } = await connect('stubborn', {
      shutdown: { endOfInput: 50, terminate: 500 },
    });
    await received.until(1);
    await transport.close();
    expect(received.texts.at(-1)).toContain('ignored');
    expect(received.reasons).toEqual([{ kind: 'local' }]);
    expect(isAlive(pid)).toBe(false);
  });

  it('ends descendants', async () => {
    const { transport, received } = await connect('grandchild', { shutdown: quick });
    const pid = await grandchildPid(received);
    await transport.close();
    expect(isAlive(pid)).toBe(false);
  });

  it('is the same for everyone who asks', async () => {
    const { transport, received } = await connect('echo');
    await Promise.all([transport.close(), transport.close()]);
    await transport.close();
    expect(received.reasons).toEqual([{ kind: 'local' }]);
  });

  it('leaves no listener on the process', async () => {
    const listeners = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
    const before = listeners();
    const connections = await Promise.all(Array.from({ length: 12 }, () => connect('echo')));
    expect(process.listenerCount('exit')).toBe(1 + (Object.fromEntries(before).exit ?? 0));
    await Promise.all(connections.map(({ transport }) => transport.close()));
    expect(listeners()).toEqual(before);
  });
});

describe('back-pressure', () => {
  const line = JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { text: 'x'.repeat(64 * 1024) } });

  /** Sends until the pipe is full. (The promise is wrapped, or awaiting this would await it too.) */
  async function fill(transport: StdioTransport): Promise<{ room: Promise<void> }> {
    for (;;) {
      const room = transport.send(line);
      if (room !== undefined) return { room };
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('is a promise that resolves when the server reads on', async () => {
    const { transport, received, pid } = await connect('never-exits', { shutdown: quick });
    await received.until(1);
    const { room } = await fill(transport);
    process.kill(pid, 'SIGUSR2');
    await room;
    expect(transport.send('{}')).toBeUndefined();
  });

  it('ends in a clear refusal when the sender does not care', async () => {
    const maxQueueBytes = 1024 * 1024;
    const { transport, received } = await connect('never-exits', { shutdown: quick, maxQueueBytes });
    await received.until(1);
    const { room } = await fill(transport);
    let refused: Promise<void> | undefined;
    for (let sent = 0; sent < maxQueueBytes; sent += line.length) refused = transport.send(line) ?? undefined;
    await expect(refused).rejects.toMatchObject({
      code: 'queue_full',
      message: expect.stringContaining('maxQueueBytes'),
    });
    const lost = expect(room).rejects.toMatchObject({ code: 'connection_closed' });
    await transport.close();
    await lost;
  });
});
