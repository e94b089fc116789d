/** What operators of a proxy or a chain see on stderr of the servers behind it. */

import type { ChainOptions, Destination } from '../../chain/index.js';
import { ServerLog } from '../../chain/server-log.js';
import type { Destinations } from '../../chain/targets.js';
import { printable } from '../../protocol/display.js';
import { isSecretName, maskLine, secretValues } from '../../protocol/secrets.js';
import { type ConnectFlags, DEFAULT_CONNECT_TIMEOUT_MS } from '../options/flags.js';

export interface ReportFlags extends ConnectFlags {
  readonly stderr?: boolean;
}

export class UpstreamReport {
  /** For the options of the chain. */
  readonly options: Required<Pick<ChainOptions, 'onError' | 'onServerEvent'>>;
  readonly #flags: ReportFlags;
  #secrets: readonly string[] = [];
  /** The same function for the same server: one that did not change is not started again. */
  readonly #listeners = new Map<string, (line: string) => void>();

  constructor(flags: ReportFlags) {
    this.#flags = flags;
    const log = new ServerLog({
      write: (line) => void process.stderr.write(`${line}\n`),
      raiseLimit: '--connect-timeout, or "connectTimeout" of its entry,',
      secrets: () => this.#secrets,
    });
    this.options = {
      onError: (error, method) => log.error(error, method),
      onServerEvent: (event) => log.event(event),
    };
  }

  /** The servers with what the flags say about their start and their stderr. */
  prepare(servers: Destinations): Destinations {
    this.#secrets = Object.values(servers).flatMap(secretsOf);
    const isAlone = Object.keys(servers).length === 1;
    const entries = Object.entries(servers).map(([name, server]): [string, Destination] => [
      name,
      this.#prepareOne(name, server, isAlone),
    ]);
    return Object.fromEntries(entries);
  }

  #prepareOne(name: string, server: Destination, isAlone: boolean): Destination {
    if (typeof server === 'string') return this.#prepareOne(name, { url: server }, isAlone);
    const { connectTimeout, stderr } = this.#flags;
    if ('url' in server)
      return connectTimeout === undefined ? server : { ...server, initTimeout: connectTimeout };
    if (!('command' in server)) return server;
    const entryLimit = 'initTimeout' in server ? server.initTimeout : undefined;
    return {
      ...server,
      initTimeout: connectTimeout ?? entryLimit ?? DEFAULT_CONNECT_TIMEOUT_MS,
      ...(stderr === true ? { onStderr: this.#listener(isAlone ? '' : `${name}: `) } : {}),
    };
  }

  #listener(label: string): (line: string) => void {
    const known = this.#listeners.get(label);
    if (known !== undefined) return known;
    const listener = (line: string): void =>
      void process.stderr.write(`${label}${maskLine(printable(line), this.#secrets)}\n`);
    this.#listeners.set(label, listener);
    return listener;
  }
}

/** What its environment or its headers hold may turn up in what it prints. */
function secretsOf(server: Destination): string[] {
  if (typeof server !== 'object' || server instanceof URL) return [];
  if ('command' in server) return secretValues(server.env ?? {});
  if (!('url' in server) || typeof server.headers !== 'object') return [];
  return Object.entries(server.headers).flatMap(([name, value]) =>
    isSecretName(name) && typeof value === 'string' ? [value, value.replace(/^\w+ /, '')] : [],
  );
}
