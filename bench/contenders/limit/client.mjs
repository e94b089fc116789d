/** What the machine allows a client: a promise for each call, JSON.stringify and JSON.parse, no checks. */
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { cannedCall } from '../../load/canned.mjs';
import { ECHO_ARGUMENTS } from '../../workload.mjs';

/** @typedef {{ id: number, result: { content: { text: string }[] } }} Answered */

class Pending {
  /** @type {Map<number, (text: string | undefined) => void>} */
  #waiting = new Map();
  #last = 0;

  /** @param {(text: string, id: number) => void} send */
  call(send) {
    return new Promise((resolve) => {
      this.#last += 1;
      this.#waiting.set(this.#last, resolve);
      send(callText(this.#last), this.#last);
    });
  }

  /** @param {string} text */
  answered(text) {
    /** @type {Answered} */
    const { id, result } = JSON.parse(text);
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    resolve?.(result.content[0]?.text);
  }
}

/** @param {number} id */
function callText(id) {
  const params = { name: 'echo', arguments: ECHO_ARGUMENTS };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

/** @returns {Promise<import('../../load/client-host.mjs').BenchClient>} */
export async function connectMemory() {
  const pending = new Pending();
  const answer = (/** @type {string} */ _text, /** @type {number} */ id) => {
    queueMicrotask(() => pending.answered(cannedCall(id)));
  };
  return { call: () => pending.call(answer), close: () => {} };
}

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<import('../../load/client-host.mjs').BenchClient>}
 */
export async function connectStdio(command, args) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const pending = new Pending();
  let rest = '';
  let out = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (/** @type {string} */ chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) pending.answered(line);
  });
  const flush = () => {
    child.stdin.write(out);
    out = '';
  };
  const send = (/** @type {string} */ text) => {
    // What is asked in one go leaves in one write.
    if (out === '') setImmediate(flush);
    out += `${text}\n`;
  };
  return { call: () => pending.call(send), close: () => child.kill() };
}

/**
 * @param {string} url
 * @returns {Promise<import('../../load/client-host.mjs').BenchClient>}
 */
export async function connectHttp(url) {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port, pathname } = new URL(url);
  let last = 0;
  const call = () =>
    new Promise((/** @type {(text: string | undefined) => void} */ resolve, reject) => {
      last += 1;
      const body = callText(last);
      const headers = {
        Accept: 'application/json, text/event-stream',
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      };
      const outgoing = request(
        { agent, hostname, port, path: pathname, method: 'POST', headers },
        (incoming) => {
          let text = '';
          incoming.setEncoding('utf8');
          incoming.on('data', (chunk) => {
            text += chunk;
          });
          incoming.on('end', () => {
            /** @type {Answered} */
            const { result } = JSON.parse(text);
            resolve(result.content[0]?.text);
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  return { call, close: () => agent.destroy() };
}
