/** `plumb proxy --http` in a process of its own, with a small heap, in front of a server on stdio: something to attack. */

import { once } from 'node:events';
import { expect } from 'vitest';
import { DEMO, type Running, start } from '../integration/cli/plumb.js';
import type { HttpAnswer } from './http-answer.js';
import { type HttpCall, sendTo } from './http-target.js';

interface HeapOptions {
  readonly heapMegabytes?: number;
}

export interface AttackedProxy {
  readonly origin: string;
  readonly running: Running;
  send(call: HttpCall): Promise<HttpAnswer>;
  /** Fails when the process has ended, or no longer answers. */
  expectAlive(): Promise<void>;
  close(): Promise<void>;
}

export function startProxy(words: readonly string[] = [], options: HeapOptions = {}): Promise<AttackedProxy> {
  return startListening(['proxy', '--http', '0', ...words, ...DEMO], options);
}

/** A command of `plumb` that listens for HTTP. */
export async function startListening(
  words: readonly string[],
  { heapMegabytes = 400 }: HeapOptions = {},
): Promise<AttackedProxy> {
  const running = start(words, { env: { NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` } });
  await expect.poll(() => running.stderr()).toContain('listens at');
  const origin = /http:\/\/[^/\s]+/.exec(running.stderr())?.[0] ?? '';
  const send = (call: HttpCall): Promise<HttpAnswer> => sendTo(origin, call);
  return {
    origin,
    running,
    send,
    expectAlive: async () => {
      expect(running.process.exitCode, running.stderr()).toBeNull();
      const body =
        '{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":' +
        '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}';
      const answer = await send({
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'server/discover',
        },
        body,
      });
      expect(answer.status).toBe(200);
    },
    close: async () => {
      const { process: child } = running;
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}
