import { expect, test } from 'vitest';
import { z } from 'zod';
import { connectAll } from '../../../src/client/index.js';
import { createServer } from '../../../src/server/index.js';

test('a pool passes the schema of a wanted value on', async () => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('when', {}, () => ({ when: 'noon' }));
  const { url } = await server.http({ port: 0 });
  const pool = await connectAll({ mcpServers: { one: { url } } });
  const output = z.object({ when: z.string().transform((text) => text.length) });
  expect(await pool.call('one__when', {}, { output })).toEqual({ when: 4 });
  await pool.close();
  await server.close({ drain: 0 });
});
