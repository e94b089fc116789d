/** A resumed stream brings again what came before: that is the same answer, and another one is a second answer. */

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { envelopeWatches } from '../../../src/validate/checks/watch/envelope.js';
import { progressWatches } from '../../../src/validate/checks/watch/progress.js';
import { urlTarget } from '../../../src/validate/target.js';
import { HttpConnection } from '../../../src/validate/wire/http-connection.js';
import { aProbe } from '../../support/a-probe.js';

const CALL = {
  jsonrpc: '2.0',
  id: 'call',
  method: 'tools/call',
  params: { name: 'count', _meta: { progressToken: 'steps' } },
};

const progress = {
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 'steps', progress: 1 },
};
const question = { jsonrpc: '2.0', id: 'ask', method: 'roots/list' };
const answer = (text: string) => ({
  jsonrpc: '2.0',
  id: 'call',
  result: { content: [{ type: 'text', text }] },
});
const counted = answer('Counted to 5.');

/** Ids of requests, answers, and progress. */
const JUDGED = ['003', '005', '094'];

type Event = readonly [id: string, message: unknown];

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Calls a tool, is answered, loses the connection, and opens another stream that brings `later`. */
async function judged(later: readonly Event[], headers: Record<string, string> = { 'Last-Event-ID': '1' }) {
  const first: readonly Event[] = [
    ['1', progress],
    ['2', question],
    ['3', counted],
  ];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (request.method === 'POST' && !body.includes('tools/call')) {
      response.writeHead(202).end();
      return;
    }
    send(response, request.method === 'POST' ? first : later);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  const probe = await aProbe(urlTarget(`http://127.0.0.1:${address.port}/mcp`));
  closing.push(
    () => server.close(),
    () => void probe.close(),
  );
  const { connection } = probe.shared;
  if (!(connection instanceof HttpConnection)) throw new Error('The connection is not over HTTP');
  const call = await connection.send(JSON.stringify(CALL));
  await call?.ended;
  const stream = await connection.fetch({
    method: 'GET',
    headers: { accept: 'text/event-stream', ...headers },
  });
  await stream.ended;
  for (const check of [...envelopeWatches, ...progressWatches])
    if (check.requirements.some(({ id }) => JUDGED.includes(id))) await check.run(probe);
  const failed = probe.outcomes.findings.map(({ id, received }) => `${id} ${received}`);
  const answersToQuestion = probe.recorder.entries.filter(
    ({ direction, text }) => direction === 'sent' && text.includes('"id":"ask"'),
  );
  return { failed, answersToQuestion };
}

function send(response: ServerResponse, events: readonly Event[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [id, message] of events) response.write(`id: ${id}\ndata: ${JSON.stringify(message)}\n\n`);
  response.end();
}

const replay: readonly Event[] = [
  ['1', progress],
  ['2', question],
  ['3', counted],
];

test('a replay with the same event ids is no second answer, question or progress', async () => {
  const { failed, answersToQuestion } = await judged(replay);
  expect(failed).toEqual([]);
  expect(answersToQuestion).toHaveLength(1);
});

test('a replay with new event ids is none either', async () => {
  const { failed } = await judged(replay.map(([id, message]) => [`again-${id}`, message]));
  expect(failed).toEqual([]);
});

test('another answer on the resumed stream is a second one, whatever its event id', async () => {
  for (const id of ['3', '4']) {
    const { failed } = await judged([[id, answer('Counted to 6.')]]);
    expect(failed).toEqual([`005 ${JSON.stringify(answer('Counted to 6.'))}`]);
  }
});

test('the same answer twice on the resumed stream is one too many', async () => {
  const { failed } = await judged([...replay, ['4', counted]]);
  expect(failed).toEqual([`005 ${JSON.stringify(counted)}`]);
});

test('the same answer on a stream that resumes nothing is a second one', async () => {
  const { failed } = await judged([['3', counted]], {});
  expect(failed).toEqual([`005 ${JSON.stringify(counted)}`]);
});
