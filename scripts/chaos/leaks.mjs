/** What a run must not leave behind: processes, sockets, pipes, timers and listeners. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { linesOf } from './ledger.mjs';

const KINDS = ['ProcessWrap', 'TCPSocketWrap', 'TCPServerWrap', 'PipeWrap', 'Timeout'];
const POLL_MS = 100;

export class Leaks {
  #before;
  #patienceMs;

  /** @param {number} patienceMs */
  constructor(patienceMs) {
    this.#patienceMs = patienceMs;
    // Our own pipes open with the first word, and are no leak.
    process.stderr.write('');
    this.#before = resources();
  }

  /** What is there now and was not before. What was closed takes a moment to go. @returns {Promise<string[]>} */
  async find() {
    for (let waited = 0; waited < this.#patienceMs && this.#extra().length > 0; waited += POLL_MS)
      await sleep(POLL_MS);
    return this.#extra();
  }

  #extra() {
    const now = resources();
    return [...KINDS, 'exit listener'].flatMap((kind) => {
      const extra = (now.get(kind) ?? 0) - (this.#before.get(kind) ?? 0);
      return extra > 0 ? [`${extra} ${kind} left behind`] : [];
    });
  }
}

function resources() {
  const counts = new Map([['exit listener', process.listenerCount('exit')]]);
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/**
 * Processes of those that wrote their ids to the file that still run. Ids are used again, so the command line has to
 * name the file too. @param {string} file
 */
export function survivors(file, mark = file) {
  return linesOf(file)
    .map(Number)
    .filter((pid) => commandLine(pid).includes(mark));
}

/** @param {number} pid */
function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
