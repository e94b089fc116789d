/** All servers of a configuration file at once: concurrently, and none is disturbed by the failure of another. */

import { availableParallelism } from 'node:os';
import type { ConcreteReach } from '../../testing/run/reach.js';
import type { ValidationTarget } from '../../validate/target.js';
import { commandTarget, urlTarget } from '../../validate/target.js';
import { UsageError } from '../failure/failure.js';
import { loadConfig } from '../target/config-file.js';
import { resolveTarget, type TargetFlags } from '../target/target.js';

export interface FleetMember {
  readonly name: string;
  readonly reach: ConcreteReach;
  readonly connectTimeout: number | undefined;
}

export interface FleetRow {
  readonly name: string;
  /** Why there is no result. */
  readonly failure?: string;
  readonly elapsedMs: number;
  readonly values: Readonly<Record<string, string | number>>;
}

export function configuredServers(
  config: string | undefined,
  { header, env }: Pick<TargetFlags, 'header' | 'env'>,
): readonly (FleetMember | { readonly name: string; readonly problem: string })[] {
  const file = loadConfig(config);
  if (file === undefined) throw new UsageError('No config file; name one with --config');
  if (file.servers.size === 0) throw new UsageError(`${file.path} has no servers; add one to "mcpServers"`);
  return [...file.servers.keys()].map((name) => {
    try {
      const { target, connectTimeout } = resolveTarget([name], undefined, { config: file.path });
      if ('url' in target) {
        const headers = {
          ...stringsOf(target.headers),
          ...Object.fromEntries((header ?? []).map(parsePair(':'))),
        };
        return {
          name,
          connectTimeout,
          reach: { kind: 'url', url: String(target.url), headers, transport: 'http', command: undefined },
        };
      }
      const { command, args = [], cwd } = target;
      const variables = { ...target.env, ...Object.fromEntries((env ?? []).map(parsePair('='))) };
      return {
        name,
        connectTimeout,
        reach: { kind: 'command', command, args, env: variables, cwd, inheritEnv: false },
      };
    } catch (error) {
      // A variable that is missing for one server is no obstacle for the others.
      return { name, problem: error instanceof Error ? error.message : String(error) };
    }
  });
}

/** As the validator reaches it. */
export function probeOf({ reach }: FleetMember): ValidationTarget {
  if (reach.kind === 'url') return urlTarget(reach.url, { headers: reach.headers });
  if (reach.kind === 'object') throw new TypeError('A configuration file names commands and URLs');
  const { command, args, env, cwd } = reach;
  return commandTarget({ command, args, env, ...(cwd === undefined ? {} : { cwd }) });
}

function stringsOf(headers: object | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]));
}

function parsePair(separator: string): (text: string) => [string, string] {
  return (text) => {
    const at = text.indexOf(separator);
    if (at < 1) throw new UsageError(`${JSON.stringify(text)} must look like NAME${separator}value`);
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  };
}

/** Rows in the order of the file. */
export async function runFleet(
  members: ReturnType<typeof configuredServers>,
  signal: AbortSignal,
  work: (member: FleetMember) => Promise<FleetRow['values']>,
  onRow?: (row: FleetRow) => void,
): Promise<FleetRow[]> {
  const rows: FleetRow[] = [];
  const queue = [...members.entries()];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, member] = next;
      const row = await runMember(member, signal, work);
      rows[index] = row;
      onRow?.(row);
    }
  };
  const workers = Math.min(members.length, Math.max(2, availableParallelism()));
  await Promise.all(Array.from({ length: workers }, worker));
  return rows;
}

async function runMember(
  member: ReturnType<typeof configuredServers>[number],
  signal: AbortSignal,
  work: (member: FleetMember) => Promise<FleetRow['values']>,
): Promise<FleetRow> {
  const { name } = member;
  const started = performance.now();
  const elapsed = (): number => Math.round(performance.now() - started);
  if ('problem' in member) return { name, failure: member.problem, elapsedMs: 0, values: {} };
  if (signal.aborted) return { name, failure: 'interrupted', elapsedMs: 0, values: {} };
  try {
    return { name, values: await work(member), elapsedMs: elapsed() };
  } catch (error) {
    return {
      name,
      failure: error instanceof Error ? error.message : String(error),
      elapsedMs: elapsed(),
      values: {},
    };
  }
}
