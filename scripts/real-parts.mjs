/**
 * Programs that some tests meet for real, and that npm does not bring. On Debian as root they are installed;
 * elsewhere the tests that need them are left out, and said to be, except with CI=true, where that is a failure.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { run } from './run.mjs';

/** @typedef {import('./run.mjs').Outcome} Outcome */

/**
 * @typedef {object} RealPart
 * @property {string} name
 * @property {() => boolean} probe  whether it is there
 * @property {string} aptPackage
 * @property {string} elsewhere  how to get it on other systems
 * @property {string[]} neededBy  test files
 */

/** @type {RealPart[]} */
const parts = [
  {
    name: 'Chromium',
    probe: () => [process.env.PLUMB_CHROMIUM, '/usr/bin/chromium'].some((path) => path && existsSync(path)),
    aptPackage: 'chromium',
    elsewhere: 'install Chromium or Chrome, and set PLUMB_CHROMIUM to the path of its program',
    neededBy: [
      'test/integration/interop/auth-oidc.test.ts',
      'test/integration/browser/client.test.ts',
      'test/journeys/inspector.test.ts',
      'test/integration/inspector-web/{accessibility,auth,composer,comply,features,hostile,lifecycle,many-servers,peers}.test.ts',
      'test/integration/inspector-web/{revisions,schemas,settings,timeline,traffic}.test.ts',
    ],
  },
  {
    name: 'Redis',
    probe: () => spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0,
    aptPackage: 'redis-server',
    elsewhere: 'install Redis 7 or later, with redis-server in the PATH',
    neededBy: ['test/integration/store/*.test.ts'],
  },
];

const ci = process.env.CI === 'true';

/** @returns {Promise<{ outcome: Outcome, leftOut: string[] }>} */
export async function prepareRealParts() {
  const missing = parts.filter((part) => !part.probe());
  if (canInstall() && missing.length > 0) await install(missing);
  const installed = missing.filter((part) => part.probe());
  const absent = missing.filter((part) => !installed.includes(part));
  const lines = absent.map(
    ({ name, elsewhere, neededBy }) =>
      `${name} is missing, so these did not run: ${neededBy.join(', ')}. To run them, ${elsewhere}.`,
  );
  const note = lines.join(' ') || installed.map(({ name }) => `installed ${name}`).join(', ');
  return {
    outcome: { ok: !(ci && absent.length > 0), output: lines.join('\n'), note },
    leftOut: absent.flatMap(({ neededBy }) => neededBy),
  };
}

function canInstall() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/** @param {readonly RealPart[]} missing */
async function install(missing) {
  const packages = missing.map(({ aptPackage }) => aptPackage);
  const get = () => apt(['install', '-y', '-qq', '--no-install-recommends', ...packages]);
  if (!(await get()) && (await apt(['update', '-qq']))) await get();
}

/** @param {string[]} args */
async function apt(args) {
  const { ok } = await run('env', ['DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args]);
  return ok;
}
