/** Cases of a test file end with their time limit, whatever the server does. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { mcpTest } from 'plumb-mcp/testing';
import { expect, test } from 'vitest';
import { tryCall } from '../../../src/testing/generate/trial.js';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** A task that ends when it is cancelled, and makes the runtime forget what nobody holds on to. */
function endless() {
  const server = createServer({ name: 'endless', version: '1' });
  server.tool('work', { task: 'optional' }, (_args, { signal }) => {
    const timer = setInterval(collect, 100);
    return new Promise<string>((resolve) => {
      signal.addEventListener('abort', () => {
        clearInterval(timer);
        resolve('stopped');
      });
    });
  });
  return server;
}

test('a case whose task does not end fails after its time limit', async () => {
  const { results } = await mcpTest(endless(), { timeout: 800, tools: { work: {} } });
  expect(results.find(({ name }) => name === 'work')).toMatchObject({
    status: 'fail',
    message: 'no answer before the time limit of the case',
  });
});

test('a generated test of a tool that does not end is disabled, with the reason', async () => {
  const client = await connect(endless());
  const trial = await tryCall((options) => client.tools.call('work', {}, options), 200);
  expect(trial).toEqual({ kind: 'silent', text: 'not done within 0.2 s' });
  await client.close();
});
