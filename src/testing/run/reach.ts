/** Brings a server of a suite within reach: starts what has to run, and says how a client gets there. */

import { connect as connectSocket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createChain } from '../../chain/builder.js';
import type { HttpTarget, StdioTarget, Target } from '../../client/target.js';
import { isRecord } from '../../jsonrpc/message.js';
import { secretValues } from '../../protocol/secrets.js';
import { spawnChild } from '../../transports/stdio/child.js';
import {
  commandTarget,
  type ValidationTarget as ProbeTarget,
  urlTarget,
  validationTarget,
} from '../../validate/target.js';
import type { ServerReach, TestedTransport } from '../suite/definition.js';
import { SuiteError } from '../suite/fields.js';

export type ConcreteReach = Exclude<ServerReach, { kind: 'name' }>;

export interface Reached {
  readonly target: Target;
  readonly transport: TestedTransport;
  /** The same server as the validator reaches it. */
  readonly probe: ProbeTarget;
  /** Values that are masked in reports. */
  readonly secrets: readonly string[];
  close(): Promise<void>;
}

const nothing = async (): Promise<void> => {};

export async function reach(
  server: ConcreteReach,
  wanted: TestedTransport | undefined,
  startMs: number,
): Promise<Reached> {
  switch (server.kind) {
    case 'command':
      return reachCommand(server, wanted);
    case 'url':
      return reachUrl(server, wanted, startMs);
    case 'object':
      return reachObject(server, wanted);
  }
}

function stdioTarget({
  command,
  args,
  env,
  cwd,
  inheritEnv,
}: Extract<ServerReach, { kind: 'command' }>): StdioTarget {
  return { command, args: [...args], env, inheritEnv, ...(cwd === undefined ? {} : { cwd }) };
}

async function reachCommand(
  server: Extract<ServerReach, { kind: 'command' }>,
  wanted: TestedTransport = 'stdio',
): Promise<Reached> {
  const target = stdioTarget(server);
  const secrets = secretValues(server.env);
  const probe = commandTarget({
    command: server.command,
    args: server.args,
    env: server.env,
    inheritEnv: server.inheritEnv,
    ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
  });
  if (wanted === 'stdio') return { target, transport: 'stdio', probe, secrets, close: nothing };
  if (wanted === 'memory')
    throw new SuiteError('The transport memory is for servers of the same process; use stdio');
  // A server that only has stdio is reached over HTTP through a chain.
  const front = createChain().to(target);
  const { url } = await front.http({ port: 0, legacySse: wanted === 'sse' });
  const address = wanted === 'sse' ? new URL('/sse', url).href : url;
  return { target: address, transport: wanted, probe, secrets, close: () => front.close() };
}

async function reachUrl(
  server: Extract<ServerReach, { kind: 'url' }>,
  wanted: TestedTransport = server.transport,
  startMs: number,
): Promise<Reached> {
  if (wanted !== server.transport)
    throw new SuiteError(
      `The server is behind a URL (${server.transport}), and cannot be reached over ${wanted}`,
    );
  const child = server.command === undefined ? undefined : await spawnChild(stdioTarget(server.command));
  const close = async (): Promise<void> => {
    child?.stdin.end();
    await child?.shutdown();
  };
  if (child !== undefined) {
    child.stdout.resume();
    try {
      await listening(new URL(server.url), startMs);
    } catch (error) {
      const stderr = child.stderrTail();
      await close();
      throw new Error(`${error instanceof Error ? error.message : error}\n${stderr}`.trim(), {
        cause: error,
      });
    }
  }
  const target: HttpTarget = { url: server.url, headers: { ...server.headers } };
  const probe = urlTarget(server.url, { headers: server.headers, transport: server.transport });
  return { target, transport: server.transport, probe, secrets: secretValues(server.headers), close };
}

const POLL_MS = 50;

/** Until the port takes connections. */
async function listening({ hostname, port, protocol, href }: URL, startMs: number): Promise<void> {
  const number = Number(port) || (protocol === 'https:' ? 443 : 80);
  const end = performance.now() + startMs;
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connectSocket({ host: hostname.replaceAll(/[[\]]/g, ''), port: number });
      const settle = (open: boolean) => (): void => {
        socket.destroy();
        resolve(open);
      };
      socket.once('connect', settle(true));
      socket.once('error', settle(false));
    });
    if (isOpen) return;
    if (performance.now() > end) throw new Error(`Nothing listens at ${href}`);
    await delay(POLL_MS);
  }
}

async function reachObject(
  { source }: Extract<ServerReach, { kind: 'object' }>,
  wanted: TestedTransport = 'memory',
): Promise<Reached> {
  const probe = validationTarget(source);
  if (wanted === 'memory') return { target: source, transport: 'memory', probe, secrets: [], close: nothing };
  if (wanted === 'stdio' || !canServe(source))
    throw new SuiteError(`A server of this process cannot be reached over ${wanted}; use memory`);
  const served: unknown = await source.http({ port: 0, legacySse: wanted === 'sse' });
  const url = isRecord(served) && typeof served.url === 'string' ? served.url : undefined;
  if (url === undefined) throw new SuiteError('The http() method of the server returned no url');
  return {
    target: wanted === 'sse' ? new URL('/sse', url).href : url,
    transport: wanted,
    probe,
    secrets: [],
    close: async () => {
      if (isRecord(served) && typeof served.close === 'function') await served.close();
    },
  };
}

interface Servable {
  http(options: object): unknown;
}

function canServe(source: object): source is Servable {
  return 'http' in source && typeof source.http === 'function';
}
