/** Servers made of programs and of API descriptions. */

import { spawnSync } from 'node:child_process';
import { createChain, createCommandServer, createOpenApiServer } from 'plumb-mcp/chain';
import { type Client, connect, type Target } from 'plumb-mcp/client';
import { describe, expect, test } from 'vitest';
import { cleanup } from '../../support/cleanup.js';

async function open(target: Target): Promise<Client> {
  const client = await connect(target);
  cleanup(() => client.close());
  return client;
}

describe('commands', () => {
  const print = 'console.log(JSON.stringify(process.argv.slice(1)))';
  const node = { program: process.execPath, args: ['-e', print, '--'], description: 'Prints its arguments' };

  test('turn arguments into words that no shell ever sees', async () => {
    const server = await createCommandServer({
      show: { ...node, flags: { level: 'number', loud: 'boolean' } },
    });
    const client = await open(createChain({ onError: () => undefined }).to(server));
    const args = { level: 3, loud: true, args: ['$(id)', 'a b; ls'] };
    const answer = await client.tools.call('show', args);
    expect(JSON.stringify(answer.content)).toContain(
      JSON.stringify(JSON.stringify(['--level=3', '--loud', '$(id)', 'a b; ls'])).slice(1, -1),
    );
  });

  test('refuse flags that were not allowed', async () => {
    const client = await open(await createCommandServer({ show: node }));
    for (const args of [{ args: ['--evil'] }, { evil: true }])
      expect(await client.tools.call('show', args)).toMatchObject({ isError: true });
  });

  test('give what programs print for a terminal as plain text', async () => {
    const script = String.raw`process.stdout.write('\x1b[31mred\x1b[0m\x07 10%\r100%\nü\n')`;
    const colours = { program: process.execPath, args: ['-e', script], description: 'x' };
    const client = await open(await createCommandServer({ colours }));
    expect((await client.tools.call('colours')).content).toEqual([{ type: 'text', text: '100%\nü\n' }]);
  });

  test('are bounded in time and output', async () => {
    const limits = { timeout: 300, maxOutputBytes: 10 };
    const loop = { program: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], description: 'x' };
    const long = { program: process.execPath, args: ['-e', 'console.log("x".repeat(99))'], description: 'x' };
    const client = await open(await createCommandServer({ loop, long }, limits));
    expect(await client.tools.call('loop')).toMatchObject({ isError: true });
    expect(JSON.stringify((await client.tools.call('long')).content)).toContain('90 more bytes');
  });
});

/** A program that starts another one, waits, and is cut off; both carry the mark on their command line. */
function nested(mark: string) {
  const child = `require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e3)', '${mark}'], { stdio: 'ignore' }); setInterval(() => {}, 1e3)`;
  return { program: process.execPath, args: ['-e', child, mark], description: 'x' };
}

function running(mark: string): number {
  const list = spawnSync('ps', ['-eo', 'stat=,args='], { encoding: 'utf8' }).stdout;
  return list.split('\n').filter((line) => line.includes(mark) && !line.startsWith('Z')).length;
}

describe('commands that callers misuse', () => {
  test('run no more programs at once than allowed, and refuse calls beyond those that may wait', async () => {
    const mark = `many-${process.pid}`;
    const client = await open(await createCommandServer({ nested: nested(mark) }, { maxProcesses: 2 }));
    const controllers = Array.from({ length: 70 }, () => new AbortController());
    const outcomes = controllers.map(({ signal }) =>
      client.tools.call('nested', {}, { signal }).catch(() => 'cancelled'),
    );
    // Two run, each with a child, and 64 wait.
    const refused = await Promise.any([4, 3, 2, 1].map((place) => outcomes.at(-place) ?? Promise.reject()));
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('The limit of 2 programs at once is reached') }],
    });
    await expect.poll(() => running(mark)).toBe(4);
    for (const controller of controllers) controller.abort();
    await Promise.all(outcomes);
    await expect.poll(() => running(mark)).toBe(0);
  }, 30_000);

  test.skipIf(process.platform === 'win32')(
    'end with their program, even when a process that left its group holds the output',
    async () => {
      const leaving = `const child = require('child_process').spawn('sleep', ['20'], { stdio: 'inherit', detached: true }); console.log(child.pid); child.unref()`;
      const client = await open(
        await createCommandServer({
          leaving: { program: process.execPath, args: ['-e', leaving], description: 'x' },
        }),
      );
      const answer = await client.tools.call('leaving', {}, { timeout: 10_000 });
      const [content] = answer.content;
      const pid = content?.type === 'text' ? Number(content.text) : 0;
      // It is still there, so it was not waited for.
      expect(process.kill(pid, 'SIGKILL')).toBe(true);
    },
  );

  test('say so when the arguments are none that a program can have', async () => {
    const client = await open(
      await createCommandServer({ show: { program: process.execPath, args: ['-e', '0'], description: 'x' } }),
    );
    for (const word of ['a\0b', 'x'.repeat(5_000_000)]) {
      expect(await client.tools.call('show', { args: [word] })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('could not be run') }],
      });
    }
  });
});

describe('commands leave nothing behind', () => {
  test('when their time is up', async () => {
    const mark = `late-${process.pid}`;
    const client = await open(await createCommandServer({ nested: nested(mark) }, { timeout: 1_500 }));
    const calling = client.tools.call('nested');
    await expect.poll(() => running(mark)).toBe(2);
    expect(await calling).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('ended after 1500 ms') }],
    });
    await expect.poll(() => running(mark)).toBe(0);
  }, 30_000);

  test('when the call is cancelled', async () => {
    const mark = `cancelled-${process.pid}`;
    const client = await open(await createCommandServer({ nested: nested(mark) }));
    const controller = new AbortController();
    const calling = client.tools.call('nested', {}, { signal: controller.signal });
    await expect.poll(() => running(mark)).toBe(2);
    controller.abort();
    await expect(calling).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => running(mark)).toBe(0);
  }, 30_000);
});

test('an OpenAPI document becomes tools that call its operations and nothing else', async () => {
  const sent: { url: string; method: string; body: unknown }[] = [];
  const document = {
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    components: { schemas: { Pet: { type: 'object', properties: { name: { type: 'string' } } } } },
    paths: {
      '/pets/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        get: {
          operationId: 'getPet',
          parameters: [{ name: 'full', in: 'query', schema: { type: 'boolean' } }],
        },
        put: {
          operationId: 'putPet',
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
        },
      },
    },
  };
  const client = await open(
    createOpenApiServer(document, {
      baseUrl: 'https://api.example/v1/',
      fetch: async (input, init) => {
        sent.push({ url: String(input), method: String(init?.method), body: init?.body });
        return new Response('{"ok":true}');
      },
    }),
  );
  expect((await client.tools.list()).map(({ name }) => name)).toEqual(['getPet', 'putPet']);
  await client.tools.call('getPet', { id: 'a/b?c#d', full: true });
  await client.tools.call('putPet', { id: '7', body: { name: 'Rex' } });
  expect(sent).toEqual([
    { url: 'https://api.example/v1/pets/a%2Fb%3Fc%23d?full=true', method: 'GET', body: undefined },
    { url: 'https://api.example/v1/pets/7', method: 'PUT', body: '{"name":"Rex"}' },
  ]);
});
