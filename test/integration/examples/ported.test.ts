/** Servers ported from other libraries: the official SDK's own answers are compared with ours. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Client, connect, textOf } from '../../../src/client/index.js';

const EXAMPLES = fileURLToPath(new URL('../../../examples/ported', import.meta.url));

async function using<T>(file: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect({ command: process.execPath, args: [join(EXAMPLES, file)] });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** What a user sees of the notes server. */
async function observed(client: Client): Promise<unknown> {
  const tools = (await client.tools.list()).map(({ name, title, description, annotations }) => ({
    name,
    title,
    description,
    idempotent: annotations?.idempotentHint,
  }));
  const added = textOf(await client.tools.call('add_note', { name: 'shop', text: 'milk and bread' }));
  const counted = await client.tools.call('count_words', { name: 'shop' });
  const missing = await client.tools.call('count_words', { name: 'nothing' });
  const invalid = await client.tools.call('add_note', { name: '', text: 'x' });
  const resources = (await client.resources.list({ cache: 'reload' })).map(({ uri, name }) => ({
    uri,
    name,
  }));
  const read = (await client.resources.read('note:///shop')).contents;
  const templates = (await client.resources.templates().list()).map(({ uriTemplate, name }) => ({
    uriTemplate,
    name,
  }));
  const prompt = (await client.prompts.get('summarize', { name: 'shop' })).messages;
  const reference = { type: 'ref/resource', uri: 'note:///{name}' } as const;
  const completed = await client.completion.complete(reference, { name: 'name', value: 's' });
  return {
    tools,
    added,
    counted: counted.structuredContent,
    countedText: textOf(counted),
    missing: { text: textOf(missing), isError: missing.isError },
    invalid: invalid.isError,
    resources,
    read,
    templates,
    prompt,
    completed: completed.completion.values,
  };
}

describe('a server of the official SDK, version 1', () => {
  test('answers the same after it was ported', async () => {
    const before = await using('sdk-v1-before.mjs', observed);
    expect(before).toMatchObject({ added: 'Noted shop.', counted: { words: 3 }, completed: ['shop'] });
    expect(await using('sdk-v1-after.mjs', observed)).toEqual(before);
  });
});

describe('a server in the manner of FastMCP', () => {
  test('has the same features', () =>
    using('fastmcp-after.mjs', async (client) => {
      const progress: (string | undefined)[] = [];
      const result = await client.tools.call(
        'download',
        { url: 'https://a.test/' },
        { onProgress: ({ message }) => progress.push(message) },
      );
      expect(textOf(result)).toBe('Downloaded 15 bytes');
      expect(progress).toEqual(['asking for the size', 'reading']);
      const refused = await client.tools.call('download', { url: 'http://a.test/' });
      expect(refused).toMatchObject({ isError: true });
      expect(textOf(refused)).toBe('Only https is allowed');
      expect((await client.tools.call('pixel')).content[0]).toMatchObject({
        type: 'image',
        mimeType: 'image/png',
      });
      const ref = { type: 'ref/prompt', name: 'commit' } as const;
      const { completion } = await client.completion.complete(ref, { name: 'style', value: 'sh' });
      expect(completion.values).toEqual(['short']);
      expect((await client.resources.read('log:///today')).contents[0]).toMatchObject({
        text: 'Nothing happened.',
      });
    }));
});
