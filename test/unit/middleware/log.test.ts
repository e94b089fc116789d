import { log } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { echo, meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('log on a %s', (place) => {
  test('writes what, how it ended and for whom, and no arguments', async () => {
    const lines: string[] = [];
    const { client } = await meet(place, log({ write: (line) => lines.push(line), now: () => 0 }));
    await echo(client, 'secret');
    await client.tools.call('write_broken').catch(() => undefined);
    expect(lines.filter((line) => line.includes('tools/call'))).toEqual([
      '-> tools/call "echo" ok 0ms anonymous',
      '-> tools/call "write_broken" internal_error 0ms anonymous',
    ]);
  });

  test('writes the questions of the server, and who was asked', async () => {
    const lines: string[] = [];
    const { join } = await meet(place, log({ write: (line) => lines.push(line), now: () => 0 }));
    const client = await join('alice', { elicit: () => ({ action: 'accept', content: { name: 'hidden' } }) });
    await client.tools.call('ask');
    expect(lines).toContain('<- elicitation/create ok 0ms principal alice');
    expect(lines.join()).not.toContain('hidden');
  });

  test('gives a name from outside no line of its own', async () => {
    const lines: string[] = [];
    const { client } = await meet(place, log({ write: (line) => lines.push(line) }));
    await client.tools.call('x\n-> tools/call "admin" ok').catch(() => undefined);
    expect(lines.every((line) => !line.includes('\n'))).toBe(true);
  });
});
