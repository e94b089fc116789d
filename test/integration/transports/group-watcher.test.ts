import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { GroupWatcher } from '../../../src/transports/stdio/group-watcher.js';
import { isAlive, untilGone } from '../../support/processes.js';

const groups: ChildProcess[] = [];

afterEach(() => {
  for (const { pid } of groups.splice(0))
    if (pid !== undefined && isAlive(pid)) process.kill(-pid, 'SIGKILL');
});

/** A group of two processes that ignore SIGTERM. */
async function group(): Promise<number> {
  const leader = spawn('/bin/sh', ['-c', 'trap "" TERM; sleep 60 & echo ready; sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  groups.push(leader);
  await once(leader.stdout, 'data');
  return numberOf(leader.pid);
}

function numberOf(pid: number | undefined): number {
  if (pid === undefined) throw new Error('it does not run');
  return pid;
}

describe.skipIf(process.platform === 'win32')('group watcher', () => {
  it('runs while there are groups, and ends without touching those that were removed', async () => {
    const watcher = new GroupWatcher();
    expect(watcher.pid).toBeUndefined();
    const [one, other] = [await group(), await group()];
    watcher.add(one);
    const shell = numberOf(watcher.pid);
    watcher.add(other);
    expect(watcher.pid).toBe(shell);
    watcher.remove(one);
    expect(isAlive(shell)).toBe(true);
    watcher.remove(other);
    expect(watcher.pid).toBeUndefined();
    await untilGone(shell);
    expect([isAlive(one), isAlive(other)]).toEqual([true, true]);
  });

  it('does not stay for a child that could not be started', async () => {
    const watcher = new GroupWatcher();
    watcher.prepare();
    const shell = numberOf(watcher.pid);
    watcher.standDown();
    await untilGone(shell);
  });

  it('is started again with all groups after it was killed', async () => {
    const watcher = new GroupWatcher();
    const [one, other] = [await group(), await group()];
    watcher.add(one);
    const shell = numberOf(watcher.pid);
    process.kill(shell, 'SIGKILL');
    await expect.poll(() => watcher.pid).toBeUndefined();
    watcher.add(other);
    expect(numberOf(watcher.pid)).not.toBe(shell);
    watcher.remove(other);
    expect(isAlive(numberOf(watcher.pid))).toBe(true);
    watcher.remove(one);
    expect(watcher.pid).toBeUndefined();
  });

  it('leaves children alone where there is no shell', async () => {
    const watcher = new GroupWatcher({ shell: '/no/such/shell' });
    const one = await group();
    watcher.add(one);
    await expect.poll(() => watcher.pid).toBeUndefined();
    watcher.remove(one);
    expect(isAlive(one)).toBe(true);
  });

  it('is not used on Windows', () => {
    const watcher = new GroupWatcher({ platform: 'win32' });
    watcher.add(4_000_000);
    expect(watcher.pid).toBeUndefined();
    watcher.remove(4_000_000);
  });
});
