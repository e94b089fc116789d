/** The thread that checks messages: a batch comes in, and what is wrong with its messages goes out. */

import { parentPort } from 'node:worker_threads';
import { type CheckedMessage, checkMessage } from './check-message.js';
import type { CheckedBatch, CheckJob } from './check-thread.js';

parentPort?.on('message', (jobs: readonly CheckJob[]) => {
  const broken = jobs.flatMap(({ seq, ...message }) => {
    const problems = problemsOf(message);
    return problems.length === 0 ? [] : [{ seq, problems }];
  });
  parentPort?.postMessage({ broken } satisfies CheckedBatch);
});

/** A value that is nested too deeply to be checked is not reported. */
function problemsOf(message: CheckedMessage): ReturnType<typeof checkMessage> {
  try {
    return checkMessage(message);
  } catch {
    return [];
  }
}
