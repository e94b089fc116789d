import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConfigStore } from '../../../../src/cli/clients/config-store.js';
import { textDiff } from '../../../../src/cli/clients/text-diff.js';

let home: string;
let store: ConfigStore;
let path: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'plumb-store-'));
  store = new ConfigStore({ home, directory: home, platform: 'linux', environment: {} });
  path = join(home, 'folder', 'mcp.json');
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

it('creates folders and a file that only its owner reads, and removes the file again', () => {
  expect(store.read(path)).toBeUndefined();
  expect(store.apply({ path, before: undefined, after: 'one', isPrivate: true })).toBeUndefined();
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  const backup = store.apply({ path, before: 'one', after: undefined, isPrivate: true }) ?? '';
  expect(existsSync(path)).toBe(false);
  expect(readFileSync(backup, 'utf8')).toBe('one');
  if (process.platform !== 'win32') expect(statSync(backup).mode & 0o777).toBe(0o600);
});

it('does not overwrite what another program wrote meanwhile', () => {
  mkdirSync(join(home, 'folder'));
  writeFileSync(path, 'theirs');
  expect(() => store.apply({ path, before: 'ours', after: 'new', isPrivate: true })).toThrow(
    'run the command again',
  );
  expect(() => store.apply({ path, before: undefined, after: 'new', isPrivate: true })).toThrow(
    'run the command again',
  );
  expect(readFileSync(path, 'utf8')).toBe('theirs');
  const gone = join(home, 'gone.json');
  expect(() => store.apply({ path: gone, before: 'ours', after: 'new', isPrivate: true })).toThrow(
    'run the command again',
  );
  expect(readdirSync(join(home, 'folder'))).toEqual(['mcp.json']);
});

it('keeps the last ten versions of each file, the latest first', () => {
  store.apply({ path, before: undefined, after: '0', isPrivate: true });
  for (let version = 1; version <= 12; version += 1) {
    store.apply({ path, before: String(version - 1), after: String(version), isPrivate: true });
  }
  expect(store.earlier(path)).toEqual(['11', '10', '9', '8', '7', '6', '5', '4', '3', '2']);
  expect(store.earlier(join(home, 'other', 'mcp.json'))).toEqual([]);
});

it('refuses a file in another encoding', () => {
  mkdirSync(join(home, 'folder'));
  writeFileSync(path, Buffer.from('{}', 'utf16le').fill(0xff, 0, 1));
  expect(() => store.read(path)).toThrow('not UTF-8');
});

it('shows a change with three lines around it', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\n';
  expect(textDiff('x', before, before.replace('e', 'E\nF'))).toEqual([
    ...['--- x', '+++ x', '@@ -2,7 +2,8 @@', ' b', ' c', ' d', '-e', '+E', '+F', ' f', ' g', ' h'],
  ]);
  expect(textDiff('x', undefined, 'a\n')).toEqual(['--- (no file)', '+++ x', '@@ -0,0 +1,1 @@', '+a']);
  expect(textDiff('x', 'a\n', undefined)).toEqual(['--- x', '+++ (no file)', '@@ -1,1 +0,0 @@', '-a']);
});
