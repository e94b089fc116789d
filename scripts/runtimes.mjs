/**
 * Plumb on every runtime: Node 20, 22 and 24, Bun, Deno and workerd, from the packed package. Compares the results with
 * docs/runtimes.md.
 * On its own: `node scripts/runtimes.mjs` runs everything and writes the page.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { installOtherNodes, installPacked } from './journeys.mjs';
import { endWithParent, isMain, root } from './run.mjs';

/** @typedef {import('./run.mjs').Outcome} Outcome */

const page = join(root, 'docs', 'runtimes.md');

/**
 * @param {boolean} [write]
 * @returns {Promise<Outcome>}
 */
export async function checkRuntimes(write = false) {
  const installed = await installOtherNodes();
  if (!installed.ok) return installed;
  const folder = mkdtempSync(join(tmpdir(), 'plumb-runtimes-'));
  try {
    const packed = await installPacked(folder);
    return packed.ok ? await runIn(folder, write) : packed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {boolean} write
 * @returns {Promise<Outcome>}
 */
async function runIn(folder, write) {
  // They need packages that are there only after the installs.
  const [{ runAll }, { makeBundles }, { checkDeclarations }, { writeReport }] = await Promise.all([
    import('../runtimes/run.mjs'),
    import('../runtimes/bundles.mjs'),
    import('../runtimes/declarations.mjs'),
    import('../runtimes/report.mjs'),
  ]);
  const { versions, results } = await runAll(folder);
  const bundles = await makeBundles(folder);
  const declarations = await checkDeclarations(folder);
  const problems = [
    ...results
      .filter(({ outcome }) => outcome !== 'ok')
      .map(
        ({ runtime, side, transport, what, revision = '', outcome }) =>
          `${runtime}, ${side}, ${transport} ${revision}: ${what}: ${outcome}`,
      ),
    ...bundles.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [`The bundle of ${name} ${problem}`],
    ),
    ...declarations.problems,
  ];
  const passed =
    results.filter(({ outcome }) => outcome === 'ok').length +
    bundles.filter(({ problem }) => problem === undefined).length +
    declarations.checked;
  const before = readFileSync(page, 'utf8');
  const after = writeReport(versions, results, bundles, before);
  if (write) writeFileSync(page, after);
  else if (isOurNode() && unversioned(after) !== unversioned(before) && problems.length === 0)
    problems.push('docs/runtimes.md says something else; run "node scripts/runtimes.mjs" to write it again.');
  const sizes = bundles
    .map(({ name, sizes }) => `${name}: ${sizes.loaded} bytes loaded, ${sizes.whole} in one file`)
    .join('\n');
  return {
    ok: problems.length === 0,
    output: `${problems.join('\n')}\n${write ? `${sizes}\n` : ''}`,
    note: `${results.length} checks on ${Object.keys(versions).length} runtimes`,
    counts: { passed, failed: problems.length },
  };
}

/** The page has the results of the oldest Node; newer ones can do more. */
function isOurNode() {
  return process.versions.node.startsWith('20.');
}

/**
 * Other platforms have other versions of the same runtimes.
 *
 * @param {string} text
 */
function unversioned(text) {
  return text.replaceAll(/\b(Node \d+|Bun|Deno|workerd)[ .][\d.-]+/g, '$1');
}

if (isMain(import.meta)) {
  endWithParent();
  const built = await build();
  const result = built.ok ? await checkRuntimes(true) : built;
  process.stdout.write(`${result.output}${result.note ?? ''}\n`);
  process.exitCode = result.ok ? 0 : 1;
}
