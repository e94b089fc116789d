/** Calls that resolve with a value of a schema, in every revision. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connect, ToolFailedError } from '../../../src/client/index.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { createServer, defineTool, ToolError } from '../../../src/server/index.js';

const output = z.object({ when: z.string().transform((text) => text.length) });

const server = createServer({
  name: 's',
  version: '1',
  tools: {
    structured: defineTool({ output: z.object({ when: z.string() }) }, () => ({ when: 'noon' })),
    text: defineTool({}, () => ({ when: 'night' })),
    words: defineTool({}, () => 'not JSON'),
    fails: defineTool({}, () => {
      throw new ToolError('the station is closed');
    }),
  },
});

describe.each(REVISIONS.map(({ version }) => version))('a call of %s with an output schema', (version) => {
  test('resolves with the value, checked and transformed', async () => {
    const client = await connect(server, { revisions: [version] });
    expect(await client.tools.call('structured', {}, { output })).toEqual({ when: 4 });
    // What has no structure, as in the first revisions, is read from its JSON text.
    expect(await client.tools.call('text', {}, { output })).toEqual({ when: 5 });
    expect(await client.tools.call('words', {}, { output: z.string() })).toBe('not JSON');
    expect(await client.tools.call('text', {}, { output: { type: 'object', required: ['when'] } })).toEqual({
      when: 'night',
    });
    await client.close();
  });

  test('rejects when the tool fails, or returns something else', async () => {
    const client = await connect(server, { revisions: [version] });
    const failed: unknown = await client.tools.call('fails', {}, { output }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ToolFailedError);
    expect(failed).toMatchObject({
      code: 'tool_failed',
      message: 'Tool "fails" failed: the station is closed',
    });
    await expect(client.tools.call('words', {}, { output })).rejects.toMatchObject({
      code: 'invalid_result',
      message: expect.stringContaining('tools/call of words'),
    });
    await client.close();
  });
});
