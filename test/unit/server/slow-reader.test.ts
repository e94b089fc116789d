import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createServer } from '../../../src/server/server.js';
import { createStdioServerTransport } from '../../../src/transports/stdio/index.js';

const CALLS = 400;
const ANSWER_BYTES = 100_000;
const LIMIT = 1_000_000;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A client that writes all its calls before it reads a single answer. */
async function startCalling() {
  const input = new PassThrough();
  const output = new PassThrough();
  const served: unknown[] = [];
  const server = createServer({ name: 'test', version: '1' });
  server.tool('blob', {}, (_args, ctx) => {
    served.push(ctx.caller);
    ctx.progress(served.length);
    return 'x'.repeat(ANSWER_BYTES);
  });
  await server.connect(
    createStdioServerTransport({ input, output, protectStdout: false, maxQueueBytes: LIMIT }),
  );
  const say = (message: object): boolean =>
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'client', version: '1' };
  say({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  for (let id = 1; id <= CALLS; id += 1) {
    say({ id, method: 'tools/call', params: { name: 'blob', _meta: { progressToken: id } } });
    // A pipe brings them in pieces, too.
    if (id % 10 === 0) await turn();
  }
  return { server, output, served };
}

/** Reads on until everything has been answered. */
async function readAll(output: PassThrough): Promise<{ ids: number[]; methods: string[] }> {
  const lines: string[] = [];
  createInterface({ input: output }).on('line', (line) => lines.push(line));
  const answers = (): { id?: number; method?: string }[] => lines.map((line) => JSON.parse(line));
  await expect.poll(() => answers().filter(({ id }) => id !== undefined).length).toBe(CALLS + 1);
  return {
    ids: answers().flatMap(({ id }) => (id === undefined ? [] : [id])),
    methods: answers().flatMap(({ method }) => (method === undefined ? [] : [method])),
  };
}

describe('a client over stdio that does not read', () => {
  it('gets every answer once it does, and is not read from before that', async () => {
    const { server, output, served } = await startCalling();
    expect(served.length).toBeLessThan(CALLS / 2);
    expect(served.length).toBeGreaterThanOrEqual(LIMIT / ANSWER_BYTES);
    const { ids } = await readAll(output);
    expect(ids).toEqual(Array.from({ length: CALLS + 1 }, (_, id) => id));
    await server.close();
  });

  it('loses notifications beyond the limit, which keeps what waits for it bounded', async () => {
    const { server, output } = await startCalling();
    for (let index = 0; index < 1000; index += 1) server.listChanged('tools');
    const { methods } = await readAll(output);
    expect(methods).not.toContain('notifications/tools/list_changed');
    await server.close();
  });
});
