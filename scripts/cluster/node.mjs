import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../run.mjs';
import { endWithUs } from './children.mjs';

/**
 * A node of the demo in a process of its own.
 *
 * @typedef {object} ClusterNode
 * @property {number} port
 * @property {number | undefined} pid
 * @property {boolean} alive
 * @property {() => void} kill  with -9
 * @property {() => string} complaints  the end of what it wrote to stderr
 */

/**
 * @param {string} store
 * @param {{ keys: string, history?: string }} options  the keys that all nodes seal request states with, and the
 *   directory that they write their history to
 * @returns {Promise<ClusterNode>}
 */
export function startNode(store, { keys, history }) {
  const main = join(root, 'dist', 'cli', 'main.js');
  const recorder = history === undefined ? [] : ['--import', join(root, 'scripts/cluster/recorder.mjs')];
  const command = [...recorder, main, 'demo', '--http', '0', '--store', store];
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PLUMB_STATE_KEYS: keys, PLUMB_CLUSTER_HISTORY: history },
  });
  endWithUs(child);
  let output = '';
  return new Promise((resolve, reject) => {
    /** @type {ClusterNode} */
    const node = {
      port: 0,
      pid: child.pid,
      alive: true,
      kill: () => {
        node.alive = false;
        child.kill('SIGKILL');
      },
      complaints: () => output.slice(-2000),
    };
    child.once('error', reject);
    child.once('exit', () => {
      node.alive = false;
      reject(new Error(`A node ended before it listened:\n${output}`));
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
      const url = /listens at (http:\/\/\S+?)\.\s/.exec(output)?.[1];
      if (url === undefined || node.port !== 0) return;
      node.port = Number(new URL(url).port);
      resolve(node);
    });
  });
}
