import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileTokenStore } from 'plumb-mcp/auth';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumb-store-'));
  path = join(folder, 'deep', 'credentials.json');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the file of a token store', () => {
  it('is for its owner only, and leaves nothing beside it', async () => {
    const store = createFileTokenStore({ path });
    await store.set('a', { secret: 'x' });
    await store.set('b', { n: 1 });
    await store.set('a', undefined);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'deep'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(folder, 'deep'))).toEqual(['credentials.json']);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ b: { n: 1 } });
    expect(await store.get('a')).toBeUndefined();
    expect(await createFileTokenStore({ path }).get('b')).toEqual({ n: 1 });
  });

  it('loses nothing to writers at the same time', async () => {
    const stores = Array.from({ length: 4 }, () => createFileTokenStore({ path }));
    await Promise.all(
      stores.flatMap((store, index) => [0, 1, 2].map((n) => store.set(`${index}-${n}`, { n }))),
    );
    expect(Object.keys(JSON.parse(await readFile(path, 'utf8')))).toHaveLength(12);
  });

  it('lets one at a time work under a key', async () => {
    const stores = Array.from({ length: 4 }, () => createFileTokenStore({ path }));
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      // Whoever was let in as well would be inside by then.
      for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    await Promise.all(stores.flatMap((store) => [store.lock('k', work), store.lock('k', work)]));
    expect(most).toBe(1);
    await expect(stores[0]?.lock('k', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(stores[1]?.lock('k', async () => 'yes')).resolves.toBe('yes');
  });

  it('takes over the lock of a process that died', async () => {
    const store = createFileTokenStore({ path });
    await store.set('a', {});
    const lock = `${path}.lock`;
    await writeFile(lock, '999999 gone');
    const old = new Date(Date.now() - 60_000);
    await utimes(lock, old, old);
    await store.set('b', {});
    expect(Object.keys(JSON.parse(await readFile(path, 'utf8')))).toEqual(['a', 'b']);
  });

  it('says what to do when it is damaged, without showing what is in it', async () => {
    const store = createFileTokenStore({ path });
    await store.set('a', {});
    await writeFile(path, '{"accessToken": "very-secret"');
    const error = await Promise.resolve(store.get('a')).catch((caught: unknown) => caught);
    expect(String(error)).toMatch(/damaged; delete it/);
    expect(String(error)).not.toContain('very-secret');
  });
});
