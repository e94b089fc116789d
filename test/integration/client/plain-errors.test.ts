/** What a user reads when a program is no server, and what is known about a call that was given up. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Client,
  type ConnectOptions,
  connect,
  mayHaveActed,
  StartTimeoutError,
} from '../../../src/client/index.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { createServer } from '../../../src/server/index.js';

async function failure(work: Promise<unknown>): Promise<Error> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Error)) throw new Error('It did not fail');
  return thrown;
}

describe('a program that writes something else to stdout', () => {
  const open = (script: string, options: ConnectOptions = {}): Promise<Error> =>
    failure(connect({ command: process.execPath, args: ['-e', script] }, { recover: false, ...options }));

  test('is reported with what it wrote, within initTimeout', async () => {
    const error = await open('setInterval(() => console.log("Listening on 3000"), 20)', {
      initTimeout: 1_000,
    });
    expect(error).toBeInstanceOf(StartTimeoutError);
    expect(error.message).toMatch(/wrote \d+ lines to stdout that are not JSON, such as "Listening on 3000"/);
    expect(error.message).toContain('send logs to stderr');
  });

  test('is reported with what it wrote when it ends', async () => {
    const error = await open('console.log("Usage: tool FILE"); process.exitCode = 2');
    expect(error.message).toContain('exit code 2');
    expect(error.message).toContain('it wrote a line to stdout that is not JSON, such as "Usage: tool FILE"');
  });
});

describe.each(REVISIONS.map(({ version }) => version))('a call over HTTP of %s', (version) => {
  const called: string[] = [];
  const server = createServer({ name: 's', version: '1' });
  let client: Client;

  beforeAll(async () => {
    server.tool(
      'wait',
      { input: { type: 'object', properties: { id: { type: 'string' } } } },
      (args, ctx) => {
        called.push(args.id ?? '');
        return new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => reject(new Error('ended')));
        });
      },
    );
    server.tool('quick', {}, () => 'ran');
    const { url } = await server.http({ port: 0 });
    client = await connect(url, { revisions: [version] });
  });

  afterAll(async () => {
    await client.close();
    await server.close({ drain: 0 });
  });

  test('that is cancelled before it has a connection was not sent, and says so', async () => {
    const controller = new AbortController();
    const reason = new Error('the user left');
    const call = client.tools.call('wait', { id: 'early' }, { signal: controller.signal });
    controller.abort(reason);
    const error = await failure(call);
    expect(mayHaveActed(error)).toBe(false);
    expect(error.cause).toBe(reason);
    expect(error.message).toContain('tools/call of "wait" was cancelled');
    expect(error.message).toContain('the user left');
    await client.tools.call('quick');
    expect(called).not.toContain('early');
  });

  test('that is cancelled while the server works on it may have acted', async () => {
    const controller = new AbortController();
    const call = client.tools.call('wait', { id: 'late' }, { signal: controller.signal });
    await expect.poll(() => called).toContain('late');
    controller.abort('enough');
    const error = await failure(call);
    expect(mayHaveActed(error)).toBe(true);
    expect(error.cause).toBe('enough');
  });

  test('that takes too long names the tool', async () => {
    const error = await failure(client.tools.call('wait', { id: 'slow' }, { timeout: 50 }));
    expect(error.message).toContain('tools/call of "wait" was not answered within 50 ms');
    expect(mayHaveActed(error)).toBe(true);
  });
});

test('an option that does not exist is refused by name', async () => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('quick', {}, () => 'ran');
  const misspelt = await failure(connect(server, { initTimout: 5 } as ConnectOptions));
  expect(misspelt.message).toBe('connect has no option "initTimout"; did you mean "initTimeout"?');
  const client = await connect(server);
  const call = await failure(client.tools.call('quick', {}, { timeOut: 5 } as object));
  expect(call.message).toBe('tools/call has no option "timeOut"; did you mean "timeout"?');
  await client.close();
});
