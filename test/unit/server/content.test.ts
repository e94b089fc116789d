import { connect, imagesOf, linksOf, textOf } from 'plumb-mcp/client';
import { audio, createServer, image, resourceLink, text } from 'plumb-mcp/server';
import { describe, expect, test } from 'vitest';
import { VERSIONS } from '../../support/wire-peer.js';

const BYTES = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);

describe.each(VERSIONS)('content in %s', (version) => {
  test('goes out by the helpers of the server, and is read by those of the client', async () => {
    const server = createServer({ name: 's', version: '1' });
    server.tool('mixed', {}, () => [
      text('one'),
      image(BYTES, 'image/png', { annotations: { priority: 1 } }),
      { type: 'resource', resource: { uri: 'a:b', text: 'two' } },
    ]);
    const client = await connect(server, { revisions: [version] });
    const result = await client.tools.call('mixed');
    expect(textOf(result)).toBe('one\ntwo');
    expect(imagesOf(result)).toEqual([{ bytes: BYTES, mimeType: 'image/png' }]);
    expect(linksOf(result)).toEqual([]);
    await client.close();
  });
});

test('audio and links have their fields', () => {
  expect(audio('aGk=', 'audio/wav')).toEqual({ type: 'audio', data: 'aGk=', mimeType: 'audio/wav' });
  expect(audio(new Uint8Array([104, 105]), 'audio/wav').data).toBe('aGk=');
  const link = resourceLink('file:///log.txt', 'log', { mimeType: 'text/plain' });
  expect(link).toEqual({
    type: 'resource_link',
    uri: 'file:///log.txt',
    name: 'log',
    mimeType: 'text/plain',
  });
  expect(linksOf({ content: [text('x'), link] })).toEqual([link]);
});
