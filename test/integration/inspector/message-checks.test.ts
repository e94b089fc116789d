/** Messages are checked in a thread: the process goes on meanwhile, and a thread that does not is replaced. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type CheckJob, CheckThread } from '../../../src/inspector/checking/check-thread.js';
import { MessageChecks } from '../../../src/inspector/checking/message-checks.js';
import { RecordedConversation } from '../../../src/inspector/recorder/conversation.js';
import { Recording } from '../../../src/inspector/recorder/recording.js';
import { FigureBook } from '../../../src/inspector/timeline/figures.js';
import { Timeline } from '../../../src/inspector/timeline/timeline.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';

const NEWEST = REVISIONS.at(-1)?.version ?? '';

const job = (seq: number, result: unknown): CheckJob => ({
  seq,
  method: 'tools/list',
  revision: NEWEST,
  kind: 'result',
  direction: 'to-client',
  text: JSON.stringify({ jsonrpc: '2.0', id: seq, result }),
});

it('names the path and the rule, and passes what is in order', async () => {
  const thread = new CheckThread();
  onTestFinished(() => thread.stop());
  const tool = { name: 'echo', inputSchema: { type: 'object' } };
  const good = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [tool] };
  const bad = { ...good, tools: [{ ...tool, name: 7 }] };
  const { broken } = await thread.check([job(1, good), job(2, bad)]);
  expect(broken).toMatchObject([{ seq: 2, problems: [{ path: 'result.tools[0].name' }] }]);
});

it('gives up a batch that takes too long or too much memory, and checks the next', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumb-thread-'));
  const module = join(folder, 'stuck.cjs');
  writeFileSync(
    module,
    `const { parentPort } = require('node:worker_threads');
parentPort.on('message', ([{ seq }]) => {
  if (seq === 1) for (;;);
  if (seq === 2) { const kept = []; for (;;) kept.push(new Array(1e5).fill(seq)); }
  parentPort.postMessage({ broken: [{ seq, problems: [] }] });
});
`,
  );
  const thread = new CheckThread({ module, deadlineMs: 500 });
  onTestFinished(() => {
    thread.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  expect(await thread.check([job(1, {})])).toEqual({ broken: [] });
  expect(await new CheckThread({ module }).check([job(2, {})])).toEqual({ broken: [] });
  // On a busy machine a thread may not even start before the deadline.
  await expect.poll(() => thread.check([job(3, {})])).toEqual({ broken: [{ seq: 3, problems: [] }] });
});

it('marks the rows of a flood later, in batches', async () => {
  const timeline: Timeline = new Timeline({
    recorded: (message) => checks.add(message),
    touched: () => {},
    changed: () => {},
  });
  const failed: (string | undefined)[] = [];
  const checks = new MessageChecks(
    () => timeline,
    ({ method }) => failed.push(method),
  );
  onTestFinished(() => checks.stop());
  const recording = new Recording(timeline, new FigureBook());
  const origin = {
    server: 's',
    source: 'inspector',
    hop: 'direct',
    connection: 1,
    transport: 'stdio',
  } as const;
  const conversation = new RecordedConversation(recording, origin);
  // 40 kB each, of which one field is wrong.
  const tools = Array.from({ length: 400 }, (_, index) => ({
    name: `tool-${index}`,
    description: 'd'.repeat(50),
    inputSchema: index === 399 ? 'none' : { type: 'object' },
  }));
  const _meta = { 'io.modelcontextprotocol/protocolVersion': NEWEST };
  for (let id = 1; id <= 300; id += 1) {
    const request = { jsonrpc: '2.0', id, method: 'tools/list', params: { _meta } };
    conversation.hear('to-server', JSON.stringify(request));
    const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools };
    conversation.hear('to-client', JSON.stringify({ jsonrpc: '2.0', id, result }));
  }
  expect(failed).toEqual([]);
  await expect.poll(() => failed.length, { timeout: 20_000 }).toBe(300);
  const rows = [...Array(600).keys()].map((index) => timeline.get(index + 1));
  const answers = rows.filter((row) => row?.kind === 'result');
  expect(answers).toHaveLength(300);
  for (const row of answers) {
    expect(row?.failed).toBe(true);
    expect(row?.problems?.[0]?.path).toBe('result.tools[399].inputSchema');
  }
});
