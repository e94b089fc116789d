/** Servers behind a chain whose lists have no end, or pages that fill the memory: the other servers are still there. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createChain } from '../../src/chain/index.js';
import { createServer } from '../../src/server/index.js';
import { startListening } from '../support/attacked-proxy.js';
import { cleanup } from '../support/cleanup.js';
import { SessionPeer } from '../support/http-peer.js';
import { openRevision } from '../support/wire-peer.js';

const EVIL = fileURLToPath(new URL('./fixtures/endless-lists.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const MODES = ['huge', 'many', 'loop', 'empty'];

function names(result: { tools?: unknown }): string[] {
  return (result.tools as { name: string }[]).map(({ name }) => name);
}

describe('plumb chain', () => {
  it.each(MODES)(
    'lists the tools of the good server beside one with lists that are %s',
    async (mode) => {
      const folder = await mkdtemp(join(tmpdir(), 'plumb-lists-'));
      cleanup(() => rm(folder, { recursive: true, force: true }));
      const file = join(folder, 'chain.json');
      const servers = {
        good: { command: process.execPath, args: [MAIN, 'demo', '--stdio'] },
        evil: { command: process.execPath, args: [EVIL, mode] },
      };
      await writeFile(file, JSON.stringify({ servers }));
      const attacked = await startListening(['chain', file, '--http', '0'], { heapMegabytes: 500 });
      cleanup(() => attacked.close());
      const peer = await SessionPeer.open(attacked, '2025-11-25');
      const lists = await Promise.all([1, 2].map(async () => (await peer.request('tools/list')).result()));
      for (const list of lists) expect(names(list).some((name) => name.startsWith('good'))).toBe(true);
      await attacked.expectAlive();
    },
    60_000,
  );
});

describe('a chain', () => {
  it('leaves out the rest of a list that is too long, and says so', async () => {
    const long = createServer({ name: 'long', version: '1', pageSize: 10, revisions: ['2025-11-25'] });
    for (let index = 0; index < 100; index += 1) long.tool(`t${index}`, {}, () => '');
    const short = createServer({ name: 'short', version: '1' });
    short.tool('only', {}, () => '');
    for (const lists of [
      { entries: 35 },
      { bytes: 10_000 },
      { textBytes: 3000 },
      { totalBytes: 10_000 },
      { pages: 3 },
    ]) {
      const errors: unknown[] = [];
      const both = createChain({ lists, onError: (error) => errors.push(String(error)) }).to({ long, short });
      const peer = await openRevision(both, '2025-11-25');
      const shown = names(await peer.call('tools/list'));
      expect(shown.filter((name) => name.startsWith('short'))).toHaveLength(1);
      expect(shown.length).toBeGreaterThan(10);
      expect(shown.length).toBeLessThan(60);
      if (!('pages' in lists)) expect(errors.join()).toContain('too long');
      // What was charged for the list is released with it.
      for (let again = 0; again < 5; again += 1)
        expect(names(await peer.call('tools/list'))).toHaveLength(shown.length);
      await both.close({ drain: 0 });
    }
  });

  it('leaves out a server whose first page is too large', async () => {
    const large = createServer({ name: 'large', version: '1', revisions: ['2025-11-25'] });
    large.tool('big', { description: 'x'.repeat(50_000) }, () => '');
    const small = createServer({ name: 'small', version: '1' });
    small.tool('only', {}, () => '');
    const errors: string[] = [];
    const both = createChain({ lists: { bytes: 20_000 }, onError: (error) => errors.push(String(error)) }).to(
      {
        large,
        small,
      },
    );
    cleanup(() => both.close({ drain: 0 }));
    const peer = await openRevision(both, '2025-11-25');
    expect(names(await peer.call('tools/list'))).toHaveLength(1);
    expect(errors.join()).toContain('The answer of large to tools/list is too large');
  });
});
