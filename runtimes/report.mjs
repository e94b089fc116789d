/** docs/runtimes.md: what worked where, from the results of a run. */
import { COMMANDS, TYPED } from './commands.mjs';

/** @typedef {import('./run.mjs').Result} Result */
/** @typedef {import('./bundles.mjs').Bundle} Bundle */

const OFFICIAL_CLIENTS = [
  'official client v1',
  'official client v2, handshake',
  'official client v2, stateless',
];

/**
 * @param {Record<string, string>} versions  of the runtimes, by name
 * @param {readonly Result[]} results
 * @param {readonly Bundle[]} bundles
 * @param {string} text  the page as it is
 * @returns {string} the page with new tables
 */
export function writeReport(versions, results, bundles, text) {
  const tables = tablesOf(versions, results, bundles);
  return text.replace(
    /(<!-- tables -->\n)[\s\S]*(<!-- end of tables -->)/,
    (_, begin, end) => begin + tables + end,
  );
}

/**
 * @param {Record<string, string>} versions
 * @param {readonly Result[]} results
 * @param {readonly Bundle[]} bundles
 */
function tablesOf(versions, results, bundles) {
  const names = Object.keys(versions);
  const behaviours = [
    ...new Set(results.flatMap(({ what, revision }) => (revision === undefined ? [] : [what]))),
  ];
  const nodes = names.filter((name) => name.startsWith('Node'));
  const cell =
    (/** @type {Result['side']} */ side, /** @type {string} */ what) => (/** @type {string} */ runtime) =>
      passed(
        results.filter(
          (result) => result.side === side && result.what === what && result.runtime === runtime,
        ),
      );
  return [
    '',
    '### Servers',
    '',
    ...table(
      ['', ...names.map((name) => heading(name, versions))],
      [
        ...behaviours.map((what) => [what, ...names.map(cell('server', what))]),
        ...OFFICIAL_CLIENTS.map((what) => [what, ...names.map(cell('server', what))]),
      ],
    ),
    '',
    '### Clients',
    '',
    ...table(
      ['', ...names.map((name) => heading(name, versions))],
      [
        ...behaviours.map((what) => [what, ...names.map(cell('client', what))]),
        ['official server', ...names.map(cell('client', 'official server'))],
      ],
    ),
    '',
    '### The command',
    '',
    ...table(
      ['', ...nodes.map((name) => heading(name, versions))],
      [...[...COMMANDS, TYPED].map((what) => [`\`plumb ${what}\``, ...nodes.map(cell('command', what))])],
    ),
    '',
    '### Bundles',
    '',
    ...table(
      ['bundle, minified and compressed', 'loaded, at most', 'in one file, at most'],
      bundles.map(({ name, limits }) => [name, `${limits.loaded / 1000} kB`, `${limits.whole / 1000} kB`]),
    ),
    '',
  ].join('\n');
}

/**
 * @param {string} name
 * @param {Record<string, string>} versions
 */
function heading(name, versions) {
  // The first one is whatever Node runs the tests.
  return name === 'Node 20' ? name : `${name.split(' ')[0]} ${versions[name]}`;
}

/**
 * The transports over which everything worked.
 *
 * @param {readonly Result[]} results
 */
function passed(results) {
  const transports = [...new Set(results.map(({ transport }) => transport))];
  const whole = transports.filter((transport) =>
    results.every((result) => result.transport !== transport || result.outcome === 'ok'),
  );
  if (whole.length === 0) return '-';
  return whole.join() === 'command' ? 'yes' : whole.join(', ');
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
}
