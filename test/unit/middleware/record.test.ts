import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendLines } from 'plumb-mcp/chain/node';
import { record, replay } from 'plumb-mcp/middleware';
import { describe, expect, onTestFinished, test } from 'vitest';
import { echo, meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('record and replay on a %s', (place) => {
  test('what was recorded to a file is served back without the server', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plumb-record-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'traffic.jsonl');
    const recording = await meet(place, record({ write: appendLines(file) }));
    await echo(recording.client, 'once');
    await recording.client.resources.read('a://b');
    await recording.client.resources.read('a://b');
    await recording.client.tools.call('write_broken').catch(() => undefined);
    const replaying = await meet(place, replay(readFileSync(file, 'utf8').split('\n')));
    const { client } = replaying;
    expect((await echo(client, 'once')).content).toEqual([{ type: 'text', text: 'once' }]);
    const read = async () => (await client.resources.read('a://b')).contents;
    // The same question gets its answers in turn, and then the last one again.
    expect([await read(), await read(), await read()]).toMatchObject([
      [{ text: 'read 2' }],
      [{ text: 'read 3' }],
      [{ text: 'read 3' }],
    ]);
    await expect(client.tools.call('write_broken')).rejects.toThrow('broken');
    expect(replaying.runs()).toBe(0);
  });

  test('what was not recorded goes on to the server', async () => {
    const { client, runs } = await meet(place, replay([]));
    await echo(client);
    expect(runs()).toBe(1);
  });
});
