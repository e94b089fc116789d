/**
 * A thread of its own for checking, one batch at a time. Where a batch takes too long or too much memory, the thread is ended
 * and the batch given up; the next batch starts another thread.
 */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { MessageProblem } from '../api.js';
import type { CheckedMessage } from './check-message.js';

export interface CheckJob extends CheckedMessage {
  readonly seq: number;
}

export interface CheckedBatch {
  readonly broken: readonly { readonly seq: number; readonly problems: readonly MessageProblem[] }[];
}

export interface CheckThreadOptions {
  /** The module that the thread runs. */
  readonly module?: string;
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 5_000;
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
const NOTHING: CheckedBatch = { broken: [] };

export class CheckThread {
  readonly #module: string;
  readonly #deadlineMs: number;
  #worker: Worker | undefined;
  #settle: ((batch: CheckedBatch) => void) | undefined;

  constructor({ module = builtModule(), deadlineMs = DEADLINE_MS }: CheckThreadOptions = {}) {
    this.#module = module;
    this.#deadlineMs = deadlineMs;
  }

  /** Resolves when the batch has been checked or given up; never rejects. */
  async check(jobs: readonly CheckJob[]): Promise<CheckedBatch> {
    const worker = this.#worker ?? this.#start();
    const deadline = setTimeout(() => this.stop(), this.#deadlineMs);
    deadline.unref();
    try {
      return await new Promise<CheckedBatch>((resolve) => {
        this.#settle = resolve;
        worker.postMessage(jobs);
      });
    } finally {
      clearTimeout(deadline);
    }
  }

  /** What is being checked is given up. */
  stop(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    this.#settled(NOTHING);
  }

  #start(): Worker {
    const worker = new Worker(this.#module, {
      resourceLimits: MEMORY,
      // It needs nothing of the process, and a flag of the process may not be one for threads.
      env: {},
      argv: [],
      execArgv: [],
    });
    worker.unref();
    worker.on('message', (batch: CheckedBatch) => this.#settled(batch));
    // Out of memory, or the module is gone: either way the next batch starts another one.
    worker.on('error', () => this.#ended(worker));
    worker.on('exit', () => this.#ended(worker));
    this.#worker = worker;
    return worker;
  }

  #ended(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#settled(NOTHING);
  }

  #settled(batch: CheckedBatch): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(batch);
  }
}

/** Threads run the built module: this code may be in any file of dist/, or in src/. */
function builtModule(): string {
  const manifest = createRequire(import.meta.url).resolve('plumb-mcp/package.json');
  return join(dirname(manifest), 'dist', 'inspector', 'checking', 'check-worker.js');
}
