import { afterEach, describe, expect, it } from 'vitest';
import { createServer } from '../../../src/server/index.js';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const CARD = {
  name: 'com.example/weather',
  description: 'The weather of Swiss cities',
  url: 'https://example.com/mcp/',
};

async function serve(card: object | undefined): Promise<string> {
  const server = createServer({ name: 'weather', version: '1.2.0', title: 'Weather' });
  open.push(server);
  const { origin } = await server.http({
    port: 0,
    ...(card === undefined ? {} : { card: card as typeof CARD }),
  });
  return origin;
}

describe('a server card', () => {
  it('is beside the endpoint, for every origin, with an entity tag', async () => {
    const origin = await serve(CARD);
    const response = await fetch(`${origin}/mcp/server-card`, {
      headers: { Origin: 'https://elsewhere.example' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/mcp-server-card+json');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
    expect(await response.json()).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      name: 'com.example/weather',
      version: '1.2.0',
      description: 'The weather of Swiss cities',
      title: 'Weather',
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://example.com/mcp/',
          supportedProtocolVersions: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
        },
      ],
    });
    const tag = response.headers.get('etag') ?? '';
    const again = await fetch(`${origin}/mcp/server-card`, { headers: { 'If-None-Match': tag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const preflight = await fetch(`${origin}/mcp/server-card`, { method: 'OPTIONS' });
    expect(preflight.headers.get('access-control-expose-headers')).toBe('ETag');
    expect((await fetch(`${origin}/mcp/server-card`, { method: 'POST', body: '{}' })).status).toBe(405);
  });

  it('is named by the catalog of its host', async () => {
    const origin = await serve(CARD);
    const response = await fetch(`${origin}/.well-known/ai-catalog.json`);
    expect(response.headers.get('content-type')).toBe('application/ai-catalog+json');
    expect(await response.json()).toEqual({
      specVersion: '1.0',
      entries: [
        {
          identifier: 'urn:air:example.com:mcp:weather',
          type: 'application/mcp-server-card+json',
          displayName: 'Weather',
          description: 'The weather of Swiss cities',
          version: '1.2.0',
          url: 'https://example.com/mcp/server-card',
        },
      ],
    });
  });

  it('is not there without the option', async () => {
    const origin = await serve(undefined);
    for (const path of ['/mcp/server-card', '/.well-known/ai-catalog.json'])
      expect((await fetch(origin + path)).status).toBe(404);
  });

  it.each([
    ['a name without a vendor', { ...CARD, name: 'weather' }, /like "com.example\/weather"/],
    ['a long description', { ...CARD, description: 'x'.repeat(101) }, /1 to 100 characters, not 101/],
    ['a range of versions', { ...CARD, version: '^1.0.0' }, /not a range/],
    ['an address that is none', { ...CARD, url: 'example.com' }, /must begin with https/],
  ])('is refused at the start with %s', async (_what, card, message) => {
    await expect(serve(card)).rejects.toThrow(message);
  });
});
