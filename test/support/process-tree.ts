/** Which processes there are, from /proc: tests that end processes look there for what is left of them. */

import { readdirSync, readFileSync } from 'node:fs';

interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  /** Tells a process from another one that got its number later. */
  readonly startedAt: string;
  readonly command: string;
}

function processes(): SeenProcess[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        // "pid (name) state parent group ...", where the name may contain anything.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        // A zombie is dead: it only waits for an init process that collects it, which containers may lack.
        if (fields[0] === 'Z' || fields[0] === 'X') return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return [{ pid: Number(pid), parent: Number(fields[1]), startedAt: fields[19] ?? '', command }];
      } catch {
        return [];
      }
    });
}

/** All processes below this one. */
export function descendantsOf(root: number): SeenProcess[] {
  const all = processes();
  const below = (parent: number): SeenProcess[] =>
    all.filter((seen) => seen.parent === parent).flatMap((seen) => [seen, ...below(seen.pid)]);
  return below(root);
}

/** Those of `before` that still run, and all others whose command line has this word in it. */
export function leftOf(before: readonly SeenProcess[], mark: string): string[] {
  return processes()
    .filter(
      (seen) =>
        seen.command.includes(mark) ||
        before.some(({ pid, startedAt }) => pid === seen.pid && startedAt === seen.startedAt),
    )
    .map(({ pid, command }) => `${pid} ${command}`);
}
