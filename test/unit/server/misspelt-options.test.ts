/** Options that untyped code misspells or leaves out: each is refused by its name, with what was probably meant. */

import {
  aiSdkTools,
  anthropicSampler,
  anthropicTools,
  openaiChatTools,
  openaiResponsesTools,
  openaiSampler,
} from 'plumb-mcp/adapters';
import { createChain } from 'plumb-mcp/chain';
import { connect } from 'plumb-mcp/client';
import { defineExtension } from 'plumb-mcp/extensions';
import { createServer } from 'plumb-mcp/server';
import { createMemoryStore, createRedisStore } from 'plumb-mcp/store';
import { expect, test } from 'vitest';
import { cleanup } from '../../support/cleanup.js';

/** What untyped code can pass. */
function untyped(value: unknown): never {
  return value as never;
}

const server = () => createServer({ name: 's', version: '1' });
const stations = defineExtension({ id: 'com.example/stations', methods: { 'stations/read': {} } });

test.each<[string, object]>([
  ['a program', { command: 'files-server', type: 'stdio' }],
  ['a server behind a URL', { url: 'http://127.0.0.1:1/mcp', type: 'http' }],
  ['a server of this process', { server: server() }],
])('an option of %s behind a chain', (_form, entry) => {
  const message = 'Server "a" has no option "prefx"; did you mean "prefix"?';
  expect(() => createChain().to(untyped({ a: { ...entry, prefx: 'x' } }))).toThrow(message);
  expect(() => createChain().to(untyped({ a: { ...entry, prefix: 'x' } }))).not.toThrow();
});

test.each<[string, unknown, string]>([
  ['a word that there is not', 'maybe', 'maybe'],
  ['no word', true, 'true'],
  ['an object without one', { start: 'manual' }, 'undefined'],
])('the task of a tool: %s', (_name, task, shown) => {
  expect(() => server().tool('t', { task: untyped(task) }, () => '')).toThrow(
    `The task of tool "t" must be optional or required or never, not ${shown}`,
  );
});

test('options of a folder of skills', async () => {
  await expect(server().skills(import.meta.dirname, untyped({ wach: false }))).rejects.toThrow(
    'skills has no option "wach"; did you mean "watch"?',
  );
});

test('options of stores', async () => {
  expect(() => createMemoryStore(untyped({ maxSesions: 1 }))).toThrow(
    'createMemoryStore has no option "maxSesions"; did you mean "maxSessions"?',
  );
  await expect(createRedisStore('redis://127.0.0.1:1', untyped({ prefx: 'a' }))).rejects.toThrow(
    'createRedisStore has no option "prefx"; did you mean "prefix"?',
  );
});

test.each(Object.entries({ aiSdkTools, anthropicTools, openaiChatTools, openaiResponsesTools }))(
  'options of %s',
  async (name, adapt) => {
    const served = server();
    cleanup(() => served.close({ drain: 0 }));
    const client = await connect(served);
    cleanup(() => client.close());
    await expect(adapt(client, untyped({ inclde: () => true }))).rejects.toThrow(
      `${name} has no option "inclde"; did you mean "include"?`,
    );
  },
);

test.each(Object.entries({ anthropicSampler, openaiSampler }))('options of %s', (name, create) => {
  expect(() => create(untyped({}), untyped({ modell: 'm' }))).toThrow(
    `${name} has no option "modell"; did you mean "model"?`,
  );
});

test('parts of an extension', () => {
  expect(() => defineExtension(untyped({ id: 'com.example/x', method: {} }))).toThrow(
    'The extension com.example/x has no option "method"; did you mean "methods"?',
  );
});

test.each<[unknown, string]>([
  [
    { methds: {} },
    'server.extension of com.example/stations has no option "methds"; did you mean "methods"?',
  ],
  [{}, 'com.example/stations needs a handler for stations/read'],
  [undefined, 'com.example/stations needs a handler for stations/read'],
])('what serves an extension: %j', (given, message) => {
  expect(() => server().extension(stations, untyped(given))).toThrow(message);
});

test.each<[object, string]>([
  [
    { name: 'com.example/s', descripton: 'A server' },
    'card has no option "descripton"; did you mean "description"?',
  ],
  [{ name: 'com.example/s' }, 'The description of a server card must have 1 to 100 characters, not 0'],
])('a server card: %j', async (card, message) => {
  await expect(server().http({ port: 0, card: untyped(card) })).rejects.toThrow(message);
});
