import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { auditFile } from 'plumb-mcp/chain/node';
import { audit } from 'plumb-mcp/middleware';
import { describe, expect, onTestFinished, test } from 'vitest';
import { echo, meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('audit on a %s', (place) => {
  test('records each use before its result leaves, and for whom', async () => {
    const lines: string[] = [];
    const write = (line: string): void => void lines.push(line);
    const { join } = await meet(place, audit({ write, withArguments: true, now: () => new Date(0) }));
    const alice = await join('alice');
    await echo(alice);
    await alice.tools.call('write_broken').catch(() => undefined);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        time: '1970-01-01T00:00:00.000Z',
        subject: 'echo',
        principal: 'alice',
        arguments: { text: 'hi' },
        outcome: 'ok',
      },
      { subject: 'write_broken', outcome: 'internal_error' },
    ]);
  });

  test('leaves arguments out unless told otherwise', async () => {
    const lines: string[] = [];
    const { client } = await meet(place, audit({ write: (line) => void lines.push(line) }));
    await echo(client, 'hidden');
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toContain('hidden');
  });

  test('lets nothing out that cannot be recorded', async () => {
    const write = (): never => {
      throw new Error('the disk is full');
    };
    const { client } = await meet(place, audit({ write }));
    expect(JSON.stringify(await echo(client, 'unrecorded'))).not.toContain('unrecorded');
  });

  test('writes files that rotate, and that nobody else can read', async () => {
    const folder = mkdtempSync(joinPath(tmpdir(), 'plumb-audit-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = joinPath(folder, 'audit.jsonl');
    const { client } = await meet(place, audit({ write: auditFile(file, { maxBytes: 400, keep: 2 }) }));
    for (let count = 0; count < 20; count += 1) await echo(client);
    expect(readdirSync(folder).sort()).toEqual(['audit.jsonl', 'audit.jsonl.1', 'audit.jsonl.2']);
    for (const name of readdirSync(folder)) {
      const { size, mode } = statSync(joinPath(folder, name));
      expect(size).toBeLessThanOrEqual(400);
      expect(mode & 0o077).toBe(0);
      for (const line of readFileSync(joinPath(folder, name), 'utf8').trim().split('\n'))
        expect(JSON.parse(line)).toMatchObject({ subject: 'echo' });
    }
  });
});
