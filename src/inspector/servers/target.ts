/** Where a server is, as the inspector keeps it; and as pages see it, without what is secret. */

import type { Target } from '../../client/index.js';
import { maskText, maskUrl } from '../../protocol/secrets.js';
import type { ServerAddress } from '../api.js';
import { maskRecord } from '../timeline/mask.js';

export type InspectedTarget =
  | { readonly kind: 'url'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd?: string | undefined;
      readonly env: Readonly<Record<string, string>>;
      /** Names of variables that the program gets from our environment besides the usual ones. */
      readonly inheritEnv?: boolean | readonly string[] | undefined;
      /** How long it may take to start and answer, in milliseconds; 60 s by default. */
      readonly connectMs?: number | undefined;
    };

/** What stands for a value that pages do not get; sent back, the value stays. */
export const KEPT = '••••••';

export function addressOf(target: InspectedTarget): ServerAddress {
  if (target.kind === 'url') {
    return { kind: 'url', url: maskUrl(target.url), headers: maskRecord(target.headers) };
  }
  const { command, args, cwd, env } = target;
  return {
    kind: 'command',
    command,
    args: args.map((argument) => maskText(argument).text),
    env: Object.keys(env),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

/** What `connect` takes. No shell is involved: the command is a program, and each argument stays one. */
export function openable(target: InspectedTarget, onStderr: (line: string) => void): Target {
  if (target.kind === 'url') return { url: target.url, headers: target.headers };
  const { command, args, cwd, env, inheritEnv = false } = target;
  return { command, args, env, inheritEnv, onStderr, ...(cwd === undefined ? {} : { cwd }) };
}

/** What a page sent back of an address that it saw with masks, with the values that it did not see. */
export function unmasked(edited: InspectedTarget, before: InspectedTarget): InspectedTarget {
  if (edited.kind === 'url') {
    const known = before.kind === 'url' ? before : { url: '', headers: {} };
    const masks = maskRecord(known.headers);
    return {
      ...edited,
      url: edited.url === maskUrl(known.url) ? known.url : edited.url,
      headers: kept(edited.headers, known.headers, (name) => masks[name]),
    };
  }
  const known = before.kind === 'command' ? before : { args: [], env: {} };
  return {
    ...edited,
    args: edited.args.map((shown) => known.args.find((word) => maskText(word).text === shown) ?? shown),
    env: kept(edited.env, known.env, () => KEPT),
    ...(before.kind === 'command' ? { inheritEnv: before.inheritEnv } : {}),
  };
}

function kept(
  edited: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
  mask: (name: string) => string | undefined,
): Record<string, string> {
  const entries = Object.entries(edited).map(([name, value]): [string, string] => {
    const known = before[name];
    const isMask = known !== undefined && (value === KEPT || value === mask(name));
    return [name, isMask ? known : value];
  });
  return Object.fromEntries(entries);
}

/** As long as official clients wait: a first `npx -y` downloads packages. */
const DEFAULT_START_MS = 60_000;

/** How long a program may take to start and answer; servers behind a URL run already. */
export function startLimit(target: InspectedTarget): number | undefined {
  return target.kind === 'command' ? (target.connectMs ?? DEFAULT_START_MS) : undefined;
}

/** A short name for a server that was given none. */
export function nameOf(target: InspectedTarget): string {
  if (target.kind === 'url') {
    const { host, pathname } = new URL(target.url);
    return pathname === '/' || pathname === '/mcp' ? host : `${host}${pathname}`;
  }
  const telling = target.args.find((word) => word !== '' && !word.startsWith('-'));
  return lastTelling(telling ?? target.command);
}

/** Files and folders that are called the same in every project. */
const USUAL =
  /^(?:(?:index|main|server|cli|app|run)(?:\.[cm]?[jt]s|\.py)?|dist|build|out|lib|src|bin|\.bin)$/i;

/** The part of a path that tells it from others: the name of the package rather than its `dist/index.js`. */
function lastTelling(path: string): string {
  const parts = path.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
  return parts.findLast((part) => !USUAL.test(part)) ?? parts.at(-1) ?? path;
}
