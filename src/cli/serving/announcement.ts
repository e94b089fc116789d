/** What a command that listens prints first: where it is, and what those who want to reach it should know. */

import { commandName } from '../program/command-name.js';

export interface Announced {
  /** "The chain". */
  readonly what: string;
  readonly url: string;
  readonly host: string | undefined;
  readonly allowsHosts: boolean;
  /** Undefined where callers cannot be asked for credentials. */
  readonly checksCallers: boolean | undefined;
}

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]']);
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/;

export function announcement(
  { what, url, host = 'localhost', allowsHosts, checksCallers }: Announced,
  plumb: string = commandName(),
): string {
  const isEverywhere = EVERY_ADDRESS.has(host);
  const here = isEverywhere ? url.replace(/\/\/(?:0\.0\.0\.0|\[::\])/, '//127.0.0.1') : url;
  const where = isEverywhere ? `at ${here}, and on all other addresses of this machine` : `at ${here}`;
  const more = [
    ...(isEverywhere && !allowsHosts
      ? ['It refuses requests for other host names than localhost; --allow-host NAME accepts one.']
      : []),
    ...(!LOOPBACK.test(host) && checksCallers === false
      ? [
          'Every caller that can reach it can use it; --bearer-token-env or --auth-issuer admits only those with a token.',
        ]
      : []),
  ];
  return [`${what} listens ${where}. Try: ${plumb} list ${here}`, ...more, ''].join('\n');
}

/** The address that a server listens at is one that it may be asked for. */
export function hostsFor(
  host: string | undefined,
  allowed: readonly string[] | undefined,
): readonly string[] | undefined {
  if (host === undefined || EVERY_ADDRESS.has(host)) return allowed;
  return [...(allowed ?? []), host.includes(':') && !host.startsWith('[') ? `[${host}]` : host];
}
