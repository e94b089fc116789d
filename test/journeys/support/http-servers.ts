/** Servers that listen for HTTP themselves: the official one with both transports, a low-level one, one in Go. */

import { freePort } from '../../support/free-port.js';
import { found, startProgram, stopAfter, type Test } from './plumb.js';
import { type RealServer, realServers } from './servers.js';
import type { Workspace } from './workspace.js';

export interface HttpServer {
  readonly name: string;
  /** The same server as a program; its harmless call is good here too. */
  readonly server: RealServer;
  /** Starts it for a test, and returns its address. */
  start(test: Test): Promise<string>;
}

interface Way {
  readonly name: string;
  readonly of: string;
  readonly args: (port: string) => string[];
  readonly env?: (port: string) => Record<string, string>;
  readonly ready: RegExp;
  readonly path: string;
}

const WAYS: readonly Way[] = [
  {
    name: 'everything over Streamable HTTP',
    of: 'everything',
    args: () => ['streamableHttp'],
    env: (PORT) => ({ PORT }),
    ready: /listening on port/,
    path: '/mcp',
  },
  {
    name: 'everything over the old HTTP+SSE',
    of: 'everything',
    args: () => ['sse'],
    env: (PORT) => ({ PORT }),
    ready: /running on port/,
    path: '/sse',
  },
  {
    name: 'chart',
    of: 'chart',
    args: (port) => ['--transport', 'streamable', '--host', '127.0.0.1', '--port', port],
    ready: /listening on/,
    path: '/mcp',
  },
  {
    name: 'git',
    of: 'git',
    args: () => [],
    env: (port) => ({ MCP_TRANSPORT_TYPE: 'http', MCP_HTTP_PORT: port, MCP_HTTP_HOST: '127.0.0.1' }),
    ready: /HTTP transport listening/,
    path: '/mcp',
  },
  {
    name: 'kubernetes',
    of: 'kubernetes',
    args: (port) => ['--bind-address', '127.0.0.1', '--port', port],
    ready: /HTTP server starting/,
    path: '/mcp',
  },
];

export function httpServers(workspace: Workspace): HttpServer[] {
  const servers = new Map(realServers(workspace).map((server) => [server.name, server]));
  return WAYS.flatMap(({ name, of, args, env, ready, path }) => {
    const server = servers.get(of);
    if (server === undefined) return [];
    const start = async (test: Test): Promise<string> => {
      const port = String(await freePort());
      const running = startProgram(workspace, server.command, [...server.args, ...args(port)], {
        env: { ...server.env, ...env?.(port) },
      });
      stopAfter(test, running);
      await found(running, ready);
      return `http://127.0.0.1:${port}${path}`;
    };
    return [{ name, server, start }];
  });
}
