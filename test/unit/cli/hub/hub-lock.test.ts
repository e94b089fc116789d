import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { takeHubLock } from '../../../../src/cli/hub/hub-lock.js';

const folder = mkdtempSync(join(tmpdir(), 'plumb-lock-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('has one holder at a time, and is free when that one releases it', () => {
  const path = join(folder, 'one.lock');
  const held = takeHubLock(path);
  expect(held?.isHeld()).toBe(true);
  expect(readFileSync(path, 'utf8')).toMatch(new RegExp(`^${process.pid} `));
  expect(takeHubLock(path)).toBeUndefined();
  held?.release();
  expect(takeHubLock(path)?.isHeld()).toBe(true);
});

it('takes over from a process that is gone, and from a file that names none', () => {
  const path = join(folder, 'stale.lock');
  writeFileSync(path, '4711 someone\n');
  expect(takeHubLock(path, (pid) => pid === 4711)).toBeUndefined();
  const held = takeHubLock(path, () => false);
  expect(held?.isHeld()).toBe(true);
  writeFileSync(path, '');
  expect(held?.isHeld()).toBe(false);
  expect(takeHubLock(path)?.isHeld()).toBe(true);
  // What was moved aside is gone.
  expect(readdirSync(folder).filter((name) => name.startsWith('stale'))).toEqual(['stale.lock']);
});

it('does not remove the lock of the next holder', () => {
  const path = join(folder, 'next.lock');
  const held = takeHubLock(path);
  writeFileSync(path, '4711 next\n');
  held?.release();
  expect(readFileSync(path, 'utf8')).toBe('4711 next\n');
});
