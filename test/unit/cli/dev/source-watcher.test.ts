import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SourceWatcher } from '../../../../src/cli/dev/source-watcher.js';

function watched(roots: (directory: string) => string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-watch-'));
  mkdirSync(join(directory, 'node_modules'));
  mkdirSync(join(directory, 'src'));
  writeFileSync(join(directory, 'data.json'), '{}');
  const seen: string[] = [];
  let heard = (): void => {};
  const watcher = new SourceWatcher({
    roots: roots(directory),
    changed: (paths) => {
      seen.push(...paths);
      heard();
    },
    failed: (message) => seen.push(message),
  });
  onTestFinished(() => {
    watcher.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { directory, seen, next: () => new Promise<void>((resolve) => (heard = resolve)) };
}

it('reports sources, also in folders that are made later, and neither packages nor data', async () => {
  const { directory, seen, next } = watched((root) => [root]);
  const first = next();
  writeFileSync(join(directory, 'node_modules', 'a.js'), '');
  writeFileSync(join(directory, 'data.json'), '{"a":1}');
  writeFileSync(join(directory, 'src', 'server.ts'), '');
  await first;
  expect(seen).toEqual([join(directory, 'src', 'server.ts')]);
  const second = next();
  mkdirSync(join(directory, 'src', 'deep'));
  writeFileSync(join(directory, 'src', 'deep', 'tool.py'), '');
  await second;
  expect(seen.at(-1)).toBe(join(directory, 'src', 'deep', 'tool.py'));
});

it('reports a file that was named, whatever its extension', async () => {
  const { directory, seen, next } = watched((root) => [join(root, 'data.json')]);
  const change = next();
  writeFileSync(join(directory, 'other.ts'), '');
  writeFileSync(join(directory, 'data.json'), '{"a":1}');
  await change;
  expect(seen).toEqual([join(directory, 'data.json')]);
});
