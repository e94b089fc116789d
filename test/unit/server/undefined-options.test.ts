/** An option that is undefined is an option that is absent, for the compiler and when the server runs. */

import { expect, test } from 'vitest';
import { createChain } from '../../../src/chain/index.js';
import { parkingSettings } from '../../../src/chain/options.js';
import { EraVerdicts } from '../../../src/client/connection/era-verdicts.js';
import { connect, textOf } from '../../../src/client/index.js';
import { resolveSettings } from '../../../src/client/options.js';
import { createServer } from '../../../src/server/index.js';
import { limitNumbers } from '../../../src/server/limits.js';
import { taskSettings } from '../../../src/server/options.js';
import { memorySettings } from '../../../src/store/memory.js';
import { redisSettings } from '../../../src/store/redis-options.js';
import { httpLimits } from '../../../src/transports/http/server/limits.js';

test('options of a server, a tool, a resource and a prompt may be undefined', async () => {
  const server = createServer({
    name: 's',
    version: '1',
    title: undefined,
    instructions: undefined,
    capabilities: undefined,
    logging: undefined,
    pageSize: undefined,
    cache: undefined,
    revisions: undefined,
    requestState: undefined,
    exposeErrors: undefined,
    onError: undefined,
    limits: undefined,
    observe: undefined,
    http: undefined,
    tools: undefined,
    state: undefined,
  });
  server.tool(
    't',
    {
      title: undefined,
      description: undefined,
      input: undefined,
      output: undefined,
      annotations: undefined,
      icons: undefined,
      meta: undefined,
      requires: undefined,
      scopes: undefined,
      task: undefined,
      timeout: undefined,
      textCopy: undefined,
    },
    () => 'ran',
  );
  server.resource('test:r', { name: undefined, mimeType: undefined, cache: undefined }, () => 'read');
  server.prompt('p', { description: undefined, input: undefined, complete: undefined }, () => 'asked');
  const client = await connect(server);
  expect(await client.tools.list()).toEqual([{ name: 't', inputSchema: { type: 'object', properties: {} } }]);
  expect(textOf(await client.tools.call('t'))).toBe('ran');
  expect((await client.resources.read('test:r')).contents[0]).toMatchObject({ text: 'read' });
  expect((await client.prompts.get('p')).messages).toHaveLength(1);
  await client.close();
});

/** The same names, none of them given. */
function undefinedFor(settings: object): Record<string, undefined> {
  return Object.fromEntries(Object.keys(settings).map((name) => [name, undefined]));
}

test.each<[string, (options: object) => object]>([
  ['limits', limitNumbers],
  ['http.limits', httpLimits],
  ['tasks', taskSettings],
  ['parked', parkingSettings],
  ['a store in memory', memorySettings],
])('defaults hold where an option of %s is undefined', (_name, settle) => {
  const defaults = settle({});
  expect(Object.keys(defaults).length).toBeGreaterThan(2);
  expect(settle(undefinedFor(defaults))).toEqual(defaults);
});

test('defaults hold where an option of a store on Redis is undefined', () => {
  const { onError: _, ...defaults } = redisSettings({});
  expect(redisSettings(undefinedFor(redisSettings({})))).toMatchObject(defaults);
});

test('defaults hold where an option of a client is undefined', () => {
  const options = { capabilities: { experimental: undefined, extensions: undefined }, timeout: undefined };
  expect(resolveSettings(options).capabilities).toEqual(resolveSettings({}).capabilities);
  expect(resolveSettings(options).timeout).toBe(resolveSettings({}).timeout);
  const verdicts = new EraVerdicts({ lifetime: undefined, clock: undefined, maxEntries: undefined });
  verdicts.remember('http://localhost', 'stateless');
  expect(verdicts.recall('http://localhost')).toBe('stateless');
});

test('options of a chain and of its servers may be undefined', async () => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('t', {}, () => 'ran');
  const chain = createChain({
    name: undefined,
    instructions: undefined,
    lists: { pages: undefined, bytes: undefined },
    parked: { ttl: undefined },
    limits: { batch: undefined },
    tasks: undefined,
    http: undefined,
  }).to({ only: { server, prefix: undefined, include: undefined, isolate: undefined, timeout: undefined } });
  const client = await connect(chain);
  expect(textOf(await client.tools.call('t'))).toBe('ran');
  await client.close();
  await chain.close();
});
