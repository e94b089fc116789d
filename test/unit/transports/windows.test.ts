/** What is done otherwise on Windows, with the platform given. */

import { describe, expect, it } from 'vitest';
import { pageOpener } from '../../../src/cli/test-runs/reporters.js';
import { endSurvivors, type GroupSystem, signalGroup } from '../../../src/transports/stdio/process-group.js';
import { replaceFile, replaceFileSync } from '../../../src/transports/stdio/replace-file.js';
import { systemProgram } from '../../../src/transports/stdio/windows-program.js';

function recording(platform: NodeJS.Platform): { readonly done: unknown[]; readonly system: GroupSystem } {
  const done: unknown[] = [];
  const system: GroupSystem = {
    platform,
    kill: (pid, signal) => {
      done.push([pid, signal]);
      return true;
    },
    run: (program, args) => {
      done.push([program, ...args]);
      return true;
    },
  };
  return { done, system };
}

describe('the end of a process', () => {
  it('is the end of its tree on Windows, by taskkill of the system, and not by one in the current folder', () => {
    const { done, system } = recording('win32');
    expect(signalGroup(42, 'SIGTERM', system)).toBe(true);
    expect(done).toEqual([[systemProgram(['System32'], 'taskkill.exe'), '/pid', '42', '/T', '/F']]);
    expect(String((done[0] as string[])[0])).toMatch(/^[A-Za-z]:\\.*\\System32\\taskkill\.exe$/);
  });

  it('is a signal to its group elsewhere', () => {
    const { done, system } = recording('darwin');
    signalGroup(42, 'SIGTERM', system);
    signalGroup(42, 'SIGKILL', system);
    expect(done).toEqual([
      [-42, 'SIGTERM'],
      [-42, 'SIGKILL'],
    ]);
  });

  it('leaves nothing to be found on Windows once the process itself has gone', async () => {
    const { done, system } = recording('win32');
    await endSurvivors(42, 1000, system);
    expect(done).toEqual([]);
  });
});

describe('programs of Windows', () => {
  it('are named by their full path, however the variable is spelled', () => {
    expect(systemProgram(['System32'], 'a.exe', { SYSTEMROOT: 'D:\\Win' })).toBe('D:\\Win\\System32\\a.exe');
    expect(systemProgram([], 'explorer.exe', { SystemRoot: 'D:\\Win' })).toBe('D:\\Win\\explorer.exe');
    expect(systemProgram(['System32'], 'a.exe', {})).toBe('C:\\Windows\\System32\\a.exe');
  });

  it('open pages of reports', () => {
    expect(pageOpener('win32')).toMatch(/^[A-Za-z]:\\.*explorer\.exe$/);
    expect([pageOpener('darwin'), pageOpener('linux')]).toEqual(['open', 'xdg-open']);
  });
});

function failing(code: string, times: number, platform: NodeJS.Platform) {
  const pauses: number[] = [];
  let left = times;
  const rename = (): void => {
    left -= 1;
    if (left >= 0) throw Object.assign(new Error(code), { code });
  };
  const pause = (milliseconds: number): void => void pauses.push(milliseconds);
  return {
    pauses,
    sync: { platform, rename, pause },
    async: {
      platform,
      rename: async () => rename(),
      pause: async (milliseconds: number) => pause(milliseconds),
    },
  };
}

describe('a file that takes the place of another', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('is tried again while Windows says %s', async (code) => {
    const once = failing(code, 3, 'win32');
    replaceFileSync('a', 'b', once.sync);
    expect(once.pauses).toEqual([5, 10, 20]);
    const later = failing(code, 3, 'win32');
    await replaceFile('a', 'b', later.async);
    expect(later.pauses).toEqual([5, 10, 20]);
  });

  it('fails in the end, within a second', async () => {
    const { pauses, sync, async } = failing('EPERM', 100, 'win32');
    expect(() => replaceFileSync('a', 'b', sync)).toThrow('EPERM');
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeLessThan(1000);
    await expect(replaceFile('a', 'b', async)).rejects.toThrow('EPERM');
  });

  it('fails at once for other reasons, and on other systems', () => {
    const missing = failing('ENOENT', 1, 'win32');
    expect(() => replaceFileSync('a', 'b', missing.sync)).toThrow('ENOENT');
    const linux = failing('EPERM', 1, 'linux');
    expect(() => replaceFileSync('a', 'b', linux.sync)).toThrow('EPERM');
    expect([...missing.pauses, ...linux.pauses]).toEqual([]);
  });
});
