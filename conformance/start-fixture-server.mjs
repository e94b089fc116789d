import { start } from './program.mjs';

/**
 * @typedef {object} FixtureServer
 * @property {string} url
 * @property {() => string} problems  what it wrote to stderr, and whether it has ended
 * @property {() => void} stop
 */

/**
 * Starts the fixture server in a process of its own, so that a crash is seen as one.
 *
 * @param {readonly string[] | undefined} revisions all of them unless given
 * @param {string | undefined} through how a chain in front of it reaches it; no chain unless given
 * @returns {Promise<FixtureServer>}
 */
export function startFixtureServer(revisions, through) {
  const script = through === undefined ? ['serve.mjs'] : ['serve-chain.mjs', '--over', through];
  const args = [...script, ...(revisions === undefined ? [] : ['--revisions', revisions.join(',')])];
  const child = start(process.execPath, args, { cwd: import.meta.dirname, stdin: 'pipe' });
  let stopped = false;
  let problems = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    problems += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (stopped) return;
      problems += `The fixture server ended (${signal ?? code}).\n`;
      reject(new Error(problems));
    });
    child.stdout?.setEncoding('utf8').once('data', (text) =>
      resolve({
        url: text.trim(),
        problems: () => problems,
        stop() {
          stopped = true;
          child.stdin?.end();
        },
      }),
    );
  });
}
