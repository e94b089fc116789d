/** A refusal reaches its client, also one that is still sending and looks at the answer only afterwards. */

import { connect as dial } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpServeOptions } from '../../src/server/index.js';
import { expectHealthy } from '../support/healthy.js';
import { createFixture } from '../support/http-server.js';
import { startsWith } from '../support/http-target.js';

const start = startsWith('node');
/** More than the buffers of both sides take, so that the client is stuck unless the server reads. */
const BODY_BYTES = 12 * 1024 * 1024;
const JSON_TYPE = 'Content-Type: application/json';

interface Refused {
  readonly lines: readonly string[];
  readonly status: number;
  readonly options?: HttpServeOptions;
  readonly chunked?: boolean;
}

const REFUSED: readonly (readonly [string, Refused])[] = [
  ['a body that is declared too long', { lines: ['POST /mcp HTTP/1.1', JSON_TYPE], status: 413 }],
  [
    'a body that turns out too long',
    { lines: ['POST /mcp HTTP/1.1', JSON_TYPE], status: 413, chunked: true },
  ],
  ['another media type', { lines: ['POST /mcp HTTP/1.1', 'Content-Type: text/plain'], status: 415 }],
  [
    'a foreign origin',
    { lines: ['POST /mcp HTTP/1.1', JSON_TYPE, 'Origin: https://evil.example'], status: 403 },
  ],
  [
    'no credentials',
    {
      lines: ['POST /mcp HTTP/1.1', JSON_TYPE],
      status: 401,
      options: { authenticate: () => ({ status: 401, message: 'Who are you?' }) },
    },
  ],
  ['no such path', { lines: ['POST /elsewhere HTTP/1.1', JSON_TYPE], status: 404 }],
  ['no such method', { lines: ['PUT /mcp HTTP/1.1', JSON_TYPE], status: 405 }],
];

describe.each(REFUSED)('refused for %s', (_name, { lines, status, options, chunked }) => {
  it.each([
    ['keeps its connection', []],
    ['closes its connection', ['Connection: close']],
  ])('a client that %s and sends everything before it reads gets the answer', async (_kind, extra) => {
    const target = await start(createFixture().server, options);
    const { port, hostname } = new URL(target.origin);
    const socket = dial(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    const problems: Error[] = [];
    socket.on('error', (error) => problems.push(error));
    socket.pause();
    const length = chunked === true ? 'Transfer-Encoding: chunked' : `Content-Length: ${BODY_BYTES}`;
    socket.write(`${[...lines, 'Host: localhost', length, ...extra].join('\r\n')}\r\n\r\n`);
    const body = 'x'.repeat(0x10000);
    const piece = chunked === true ? `10000\r\n${body}\r\n` : body;
    for (let sent = 0; sent < BODY_BYTES; sent += 0x10000) {
      // Resolves with the error, if there is one.
      await new Promise((resolve) => socket.write(piece, resolve));
    }
    if (chunked === true) socket.write('0\r\n\r\n');
    expect(problems).toEqual([]);
    let received = '';
    socket.setEncoding('latin1').on('data', (text) => {
      received += text;
    });
    socket.resume();
    await expect.poll(() => received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    // Whoever lets nobody in lets no health check in either.
    if (options === undefined) await expectHealthy(target);
  });
});

it('reads no more of a refused body than the limit, and cuts what never ends', async () => {
  const target = await start(createFixture().server);
  const before = process.memoryUsage().arrayBuffers;
  const { port, hostname } = new URL(target.origin);
  const socket = dial(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  socket.write(
    ['POST /mcp HTTP/1.1', 'Host: localhost', JSON_TYPE, 'Transfer-Encoding: chunked', '', ''].join('\r\n'),
  );
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  let sent = 0;
  for (let open = true; open; sent += 0x10000) {
    open = await new Promise((resolve) =>
      socket.write(chunk, (error) => resolve(error === undefined || error === null)),
    );
  }
  expect(received).toMatch(/^HTTP\/1\.1 413 /);
  // 64 MiB are thrown away, and then there is what the buffers of both sides take.
  expect(sent).toBeGreaterThan(64 * 1024 * 1024);
  expect(sent).toBeLessThan(96 * 1024 * 1024);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  await expectHealthy(target);
});
