/**
 * Every command ends, at every stage and by every signal, and leaves nothing behind: not even a server that ignores the
 * end of its input and all signals, and has a child that does the same.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { descendantsOf, leftOf } from '../support/process-tree.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const CLINGING = fileURLToPath(new URL('./fixtures/clinging-server.mjs', import.meta.url));
const LISTENS = /listens at (\S+)\. /;
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

const directories: string[] = [];
const running: number[] = [];

afterAll(() => {
  for (const pid of running) tryKill(pid);
  for (const directory of directories) {
    for (const left of leftOf([], directory)) tryKill(Number.parseInt(left, 10));
    rmSync(directory, { recursive: true });
  }
});

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

interface Attacked {
  readonly pid: number;
  /** Names the server's processes. */
  readonly directory: string;
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  stderr(): string;
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
}

type Words = (directory: string, server: readonly string[]) => readonly string[];

function attack(words: Words, manner = 'clinging'): Attacked {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-orphans-'));
  directories.push(directory);
  const server = [process.execPath, CLINGING, directory, manner];
  const child = spawn(process.execPath, [MAIN, ...words(directory, server)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, XDG_CONFIG_HOME: directory, XDG_STATE_HOME: directory, HOME: directory },
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error('plumb did not start');
  running.push(pid);
  let stderr = '';
  child.stdin.on('error', () => {});
  child.stdout.resume();
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
  return { pid, directory, process: child, stderr: () => stderr, ended };
}

async function untilEvent(attacked: Attacked, event: string): Promise<void> {
  const noted = (): void => expect(readFileSync(join(attacked.directory, 'events'), 'utf8')).toContain(event);
  await vi.waitFor(noted, { timeout: 60_000, interval: 20 });
}

function inputEndedAt({ directory }: Attacked): number {
  return Number(/^input ended at (\d+)$/m.exec(readFileSync(join(directory, 'events'), 'utf8'))?.[1]);
}

async function untilNothingIsLeft(
  attacked: Attacked,
  before: ReturnType<typeof descendantsOf>,
): Promise<void> {
  const gone = (): void => expect(leftOf(before, attacked.directory)).toEqual([]);
  await vi.waitFor(gone, { timeout: 60_000, interval: 50 });
}

/** Says hello to a command that serves over HTTP, which makes it start the server. */
async function introduce(attacked: Attacked): Promise<void> {
  const listens = (): void => expect(attacked.stderr()).toMatch(LISTENS);
  await vi.waitFor(listens, { timeout: 60_000, interval: 20 });
  const [, url = ''] = LISTENS.exec(attacked.stderr()) ?? [];
  // It may never be answered.
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(INITIALIZE),
  }).catch(() => {});
}

const overStdio = (attacked: Attacked): void => {
  attacked.process.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
};

interface Case {
  readonly name: string;
  readonly words: Words;
  /** What makes the command start its server, where it does not by itself. */
  readonly provoke?: (attacked: Attacked) => void | Promise<void>;
  /** What the server notes when the command is busy. */
  readonly busy: string;
}

const COMMANDS: readonly Case[] = [
  { name: 'list', words: (_, server) => ['list', '--', ...server], busy: '' },
  { name: 'call', words: (_, server) => ['call', 'hang', '--', ...server], busy: 'hangs tools/call' },
  { name: 'read', words: (_, server) => ['read', 'hang:///', '--', ...server], busy: 'hangs resources/read' },
  { name: 'prompt', words: (_, server) => ['prompt', 'hang', '--', ...server], busy: 'hangs prompts/get' },
  {
    name: 'complete',
    words: (_, server) => ['complete', 'prompt:hang', 'a', '--', ...server],
    busy: 'hangs completion/complete',
  },
  { name: 'doctor', words: (_, server) => ['doctor', '--', ...server], busy: '' },
  {
    name: 'validate',
    words: (_, server) => ['validate', '--call-tools', '--', ...server],
    busy: 'hangs tools/call',
  },
  {
    name: 'inspect',
    words: (_, server) => ['inspect', '--no-open', '--', ...server],
    busy: 'answers initialize',
  },
  {
    name: 'proxy',
    words: (_, server) => ['proxy', '--', ...server],
    provoke: overStdio,
    busy: 'answers initialize',
  },
  {
    name: 'proxy --http',
    words: (_, server) => ['proxy', '--http', '0', '--', ...server],
    provoke: introduce,
    busy: 'answers initialize',
  },
  {
    name: 'chain --http',
    words: (directory, [command, ...args]) => {
      const file = join(directory, 'mcp.json');
      writeFileSync(file, JSON.stringify({ mcpServers: { one: { command, args } } }));
      return ['chain', '--mcp', file, '--http', '0'];
    },
    provoke: introduce,
    busy: 'answers initialize',
  },
];

/** `silent`: while it connects. `clinging`: while it is busy. */
const STAGES = COMMANDS.flatMap((command) => [
  { ...command, stage: 'connecting', manner: 'silent', event: 'started' },
  ...(command.busy === '' ? [] : [{ ...command, stage: 'busy', manner: 'clinging', event: command.busy }]),
]);

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

describe.runIf(process.platform === 'linux').concurrent('nothing is left behind', () => {
  for (const { name, words, provoke, manner, event, stage } of STAGES) {
    it(`by plumb ${name}, killed with -9 while ${stage}`, { timeout: 60_000 }, async () => {
      const attacked = attack(words, manner);
      await provoke?.(attacked);
      await untilEvent(attacked, event);
      const before = descendantsOf(attacked.pid);
      expect(before.length).toBeGreaterThan(1);
      attacked.process.kill('SIGKILL');
      await untilNothingIsLeft(attacked, before);
    });

    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      it(`by plumb ${name}, ended by ${signal} while ${stage}`, { timeout: 60_000 }, async () => {
        const attacked = attack(words, manner);
        await provoke?.(attacked);
        await untilEvent(attacked, event);
        const before = descendantsOf(attacked.pid);
        attacked.process.kill(signal);
        expect(await attacked.ended).toBe(EXIT_CODES[signal]);
        await untilNothingIsLeft(attacked, before);
      });
    }
  }

  // A server that does not want to go makes an orderly end last seconds, and much can happen in them.
  const LASTING = STAGES.filter(({ stage, name }) => stage === 'busy' && name !== 'validate');
  for (const { name, words, provoke, event } of LASTING) {
    it(`by plumb ${name}, killed with -9 while it ends`, { timeout: 60_000 }, async () => {
      const attacked = attack(words);
      await provoke?.(attacked);
      await untilEvent(attacked, event);
      const before = descendantsOf(attacked.pid);
      attacked.process.kill('SIGINT');
      await untilEvent(attacked, 'input ended');
      expect(attacked.process.kill('SIGKILL')).toBe(true);
      expect(await attacked.ended).toBe('SIGKILL');
      await untilNothingIsLeft(attacked, before);
    });

    it(`by plumb ${name}, ended at once by a second Ctrl-C`, { timeout: 60_000 }, async () => {
      const attacked = attack(words);
      await provoke?.(attacked);
      await untilEvent(attacked, event);
      const before = descendantsOf(attacked.pid);
      attacked.process.kill('SIGINT');
      await untilEvent(attacked, 'input ended');
      attacked.process.kill('SIGINT');
      expect(await attacked.ended).toBe(130);
      // In an orderly end, SIGTERM would come two seconds after the end of the input, and SIGKILL two more after that.
      expect(Date.now() - inputEndedAt(attacked)).toBeLessThan(4_000);
      await untilNothingIsLeft(attacked, before);
    });

    it(`by plumb ${name} with a server that leaves at the end of its input`, {
      timeout: 60_000,
    }, async () => {
      const attacked = attack(words, 'polite');
      await provoke?.(attacked);
      await untilEvent(attacked, event);
      const before = descendantsOf(attacked.pid);
      attacked.process.kill('SIGINT');
      expect(await attacked.ended).toBe(130);
      expect(readFileSync(join(attacked.directory, 'events'), 'utf8')).toContain('input ended');
      await untilNothingIsLeft(attacked, before);
    });
  }
});
