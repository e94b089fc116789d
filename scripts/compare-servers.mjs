/**
 * `npm run compare`: servers from npm, seen by the official clients directly and through `plumb proxy`. Both have to see
 * the same. Prints a line for each server, and exits 1 when one of them differs.
 *
 *   npm run compare                     all of scripts/compare/packages.json
 *   npm run compare -- memory notion    those whose name matches
 *
 * The servers are installed in a temporary folder without running their scripts; PLUMB_COMPARE_FOLDER keeps it.
 * Servers that do not start here (no credentials, no network) are counted apart.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { build } from './build.mjs';
import { observe } from './compare/observe.mjs';
import { npm } from './install.mjs';
import { endWithParent, root } from './run.mjs';

/** @typedef {import('./compare/observe.mjs').Program} Program */
/** @typedef {{ name: string, version: string, args?: string[], explained?: Record<string, string> }} Package */
/** @typedef {'same' | 'different' | 'does not start'} Verdict */

const PARALLEL = 2;
const START_LIMIT = 90_000;
const PLUMB = join(root, 'dist/cli/plumb.cjs');

endWithParent();
// The SDK writes a line for each list that a server does not offer.
console.debug = () => undefined;
const built = await build();
if (!built.ok) throw new Error(built.output);

/** @type {{ env: Record<string, string>, packages: Package[] }} */
const { env: shared, packages: all } = JSON.parse(
  readFileSync(new URL('./compare/packages.json', import.meta.url), 'utf8'),
);
const filters = process.argv.slice(2);
const chosen = all.filter(
  ({ name }) => filters.length === 0 || filters.some((filter) => name.includes(filter)),
);
const folder = process.env.PLUMB_COMPARE_FOLDER ?? mkdtempSync(join(tmpdir(), 'plumb-compare-'));
const home = join(folder, 'home');
mkdirSync(home, { recursive: true });
console.log(`${chosen.length} servers in ${folder}`);

/** @type {Record<Verdict | 'not installed', number>} */
const counts = { same: 0, different: 0, 'does not start': 0, 'not installed': 0 };
const queue = [...chosen];
await Promise.all(
  Array.from({ length: PARALLEL }, async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) await compare(one);
  }),
);
console.log(
  `${counts.same} the same, ${counts.different} different, ${counts['does not start']} do not start here, ` +
    `${counts['not installed']} could not be installed`,
);
process.exit(counts.different > 0 ? 1 : 0);

/** @param {Package} one */
async function compare(one) {
  const place = await installed(one);
  if (place === undefined) {
    counts['not installed'] += 1;
    console.log(`- ${one.name}: not installed`);
    return;
  }
  const env = { PATH: process.env.PATH ?? '', HOME: home, XDG_CONFIG_HOME: home, ...shared };
  const direct = { command: process.execPath, args: [place, ...(one.args ?? [])], env, cwd: folder };
  const proxied = { ...direct, args: [PLUMB, 'proxy', '--stdio', '--', process.execPath, ...direct.args] };
  for (const sdk of /** @type {const} */ (['v1', 'v2'])) {
    const verdict = await judge(one, sdk, direct, proxied);
    counts[verdict] += 1;
    if (verdict === 'does not start') return;
  }
}

/**
 * @param {Package} one
 * @param {'v1' | 'v2'} sdk
 * @param {Program} direct
 * @param {Program} proxied
 * @returns {Promise<Verdict>}
 */
async function judge({ name, explained = {} }, sdk, direct, proxied) {
  const [one, again] = [await attempt(sdk, direct), await attempt(sdk, direct)];
  if (typeof one === 'string' || typeof again === 'string') {
    console.log(`- ${name}: does not start here: ${typeof one === 'string' ? one : again}`);
    return 'does not start';
  }
  const through = await attempt(sdk, proxied);
  const keys = Object.keys(one).filter((key) => {
    // What differs between two direct looks (times, random values) is the server's own.
    if (!isDeepStrictEqual(one[key], again[key])) return false;
    if (key in explained) return false;
    return typeof through === 'string' || !isDeepStrictEqual(one[key], through[key]);
  });
  if (keys.length === 0) {
    console.log(`ok ${name} ${sdk}`);
    return 'same';
  }
  console.log(`!! ${name} ${sdk}: ${keys.join(', ')}`);
  for (const key of keys.slice(0, 3)) {
    console.log(`   direct:  ${JSON.stringify(one[key])?.slice(0, 300)}`);
    console.log(
      `   proxied: ${typeof through === 'string' ? through : JSON.stringify(through[key])?.slice(0, 300)}`,
    );
  }
  return 'different';
}

/**
 * What was seen, or why nothing was.
 *
 * @param {'v1' | 'v2'} sdk
 * @param {Program} program
 */
async function attempt(sdk, program) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  try {
    const late = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in 90 s')), START_LIMIT);
    });
    const seen = /** @type {Record<string, unknown>} */ (await Promise.race([observe(sdk, program), late]));
    // Some servers answer `initialize` and end with the first request, for want of what they work with.
    return JSON.stringify(seen.tools).includes('Not connected') ? 'it ends with its first request' : seen;
  } catch (error) {
    return String(error instanceof Error ? error.message : error).slice(0, 200);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The program of the package, each in a folder of its own so that their dependencies never mix.
 *
 * @param {Package} one
 */
async function installed({ name, version }) {
  const place = join(folder, name.replace('/', '+'));
  const manifest = join(place, 'node_modules', name, 'package.json');
  const read = () => JSON.parse(readFileSync(manifest, 'utf8'));
  try {
    read();
  } catch {
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), '{ "private": true }\n');
    const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--no-package-lock'];
    const result = await npm(['install', ...flags, `${name}@${version}`], place);
    if (!result.ok) return undefined;
  }
  const { bin } = read();
  const file = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0];
  return typeof file === 'string' ? join(place, 'node_modules', name, file) : undefined;
}
