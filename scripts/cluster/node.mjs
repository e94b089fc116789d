import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../run.mjs';
import { endWithUs } from './children.mjs';

/**
 * A node of the demo in a process of its own, or of the conformance fixtures.
 *
 * @typedef {object} ClusterNode
 * @property {number} port
 * @property {number | undefined} pid
 * @property {boolean} alive
 * @property {() => void} kill  with -9
 * @property {() => string} complaints  the end of what it wrote
 */

/**
 * @param {string} store
 * @param {{ keys: string, history?: string, fixtures?: boolean }} options  the keys that all nodes seal request states
 *   with, the directory that they write their history to, and whether they serve the conformance fixtures
 * @returns {Promise<ClusterNode>}
 */
export function startNode(store, { keys, history, fixtures = false }) {
  const program = fixtures
    ? [join(root, 'conformance', 'serve.mjs')]
    : [join(root, 'dist', 'cli', 'main.js'), 'demo', '--http', '0'];
  const recorder = history === undefined ? [] : ['--import', join(root, 'scripts/cluster/recorder.mjs')];
  const command = [...recorder, ...program, '--store', store];
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', 'pipe', 'pipe'],
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
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    function take(/** @type {string} */ text) {
      output += text;
      const url = /(http:\/\/\S+?)\.?\s/.exec(output)?.[1];
      if (url === undefined || node.port !== 0) return;
      node.port = Number(new URL(url).port);
      resolve(node);
    }
  });
}
