/**
 * `npm run validate:peers`: tests unmodified servers and clients, in every revision that they support, and
 * writes what was found to docs/validator-findings.md. Exits 1 when one of ours has a finding, or when a MUST
 * is found in a third-party one that has not been reviewed yet.
 *
 *   npm run validate:peers            all of them, about ten minutes
 *   npm run validate:peers -- memory  those whose name matches; the page is left alone
 *   npm run validate:peers -- --busy  beside two busy loops: the findings have to be those of the page
 *
 * Servers from npm are installed in a temporary folder, which the next run finds again.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npmPeers, prepareNpmPeers } from '../test/integration/validate/fixtures/npm-peers.mjs';
import { CLIENT_PEERS, PEERS, startPeer } from '../test/integration/validate/fixtures/peers.mjs';
import { build } from './build.mjs';
import { install } from './install.mjs';
import { root } from './run.mjs';

/**
 * @typedef {import('../test/integration/validate/fixtures/peers.mjs').Peer} Peer
 * @typedef {import('../src/validate/index.js').Report} Report
 */

const PARALLEL = 6;
const PAGE = `${root}/docs/validator-findings.md`;
const words = process.argv.slice(2);
const busy = words.includes('--busy');
const [filter] = words.filter((word) => !word.startsWith('--'));
const built = await build();
if (!built.ok) {
  process.stderr.write(built.output);
  process.exit(1);
}
const entry = new URL('../dist/validate/index.js', import.meta.url).href;
/** @type {typeof import('../src/validate/index.js')} */
const { reportOf, validateClient, validateServer } = await import(entry);

/** @typedef {import('../test/integration/validate/fixtures/peers.mjs').ClientPeer} ClientPeer */

const folder = join(tmpdir(), 'plumb-validate-peers');
prepareNpmPeers(folder);
const installed = await install(folder);
if (!installed.ok) {
  process.stderr.write(installed.output);
  process.exit(1);
}

const loops = busy ? [loop(), loop()] : [];
process.once('exit', () => {
  for (const child of loops) child.kill('SIGKILL');
});

/** @type {(Peer | ClientPeer)[]} */
const all = [...PEERS, ...npmPeers(folder), ...CLIENT_PEERS];
const chosen = all.filter(({ name }) => filter === undefined || name.includes(filter));
/** @type {{ peer: Peer | ClientPeer, report: Report }[]} */
const results = [];
let unexplained = 0;
const before = findingsOnPage();
const queue = chosen.toSorted((one, other) => Number(one.ours ?? false) - Number(other.ours ?? false));
// Most of the time is spent waiting for answers that must not come.
await Promise.all(
  Array.from({ length: PARALLEL }, async () => {
    for (let peer = queue.shift(); peer !== undefined; peer = queue.shift()) await tryToLook(peer);
  }),
);
for (const child of loops) child.kill('SIGKILL');
console.log(`${results.length} servers and clients, ${unexplained} findings without an explanation`);
const differences = busy ? differencesFrom(before) : [];
for (const difference of differences) console.log(`  other than on the page: ${difference}`);
process.exitCode = unexplained === 0 && differences.length === 0 ? 0 : 1;

function loop() {
  return spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
}

/** What the page says was found, by server: headings and ids. */
function findingsOnPage() {
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  let heading = '';
  for (const line of readFileSync(PAGE, 'utf8').split('\n')) {
    if (line.startsWith('## ')) heading = line.slice(3);
    const finding = /^- \*\*(\d{3}) \w+\*\*.*\((.+)\)\.$/.exec(line);
    if (finding === null) continue;
    const keys = (finding[2] ?? '').split(', ').map((revision) => `${finding[1]} ${revision}`);
    found.set(heading, new Set([...(found.get(heading) ?? []), ...keys]));
  }
  return found;
}

/** @param {Map<string, Set<string>>} page */
function differencesFrom(page) {
  return results.flatMap(({ peer, report }) => {
    const heading = `${peer.name}, ${peer.transport}`;
    const now = new Set(
      report.revisions.flatMap(({ findings }) => findings).map(({ id, revision }) => `${id} ${revision}`),
    );
    const then = page.get(heading) ?? new Set();
    return [
      ...[...now].filter((key) => !then.has(key)).map((key) => `${heading}: ${key} is new`),
      ...[...then].filter((key) => !now.has(key)).map((key) => `${heading}: ${key} is missing`),
    ];
  });
}

/**
 * @param {Peer | ClientPeer} peer
 * @returns {peer is ClientPeer}
 */
function isClient(peer) {
  return peer.command.some((argument) => argument === '{url}' || argument === '{server}');
}

/** @param {ClientPeer} peer */
async function judgeClient(peer) {
  return reportOf(await validateClient({ command: process.execPath, args: peer.command }));
}

/** @param {Peer} peer */
async function judge(peer) {
  const running = await startPeer(peer);
  try {
    const target =
      running === undefined
        ? {
            command: peer.program ?? process.execPath,
            args: peer.command,
            ...(peer.cwd === undefined ? {} : { cwd: peer.cwd }),
            ...(peer.env === undefined ? {} : { env: peer.env }),
          }
        : peer.transport === 'sse'
          ? { url: running.url, transport: /** @type {const} */ ('sse') }
          : running.url;
    return reportOf(await validateServer(target));
  } finally {
    running?.stop();
  }
}

/** @param {Peer | ClientPeer} peer */
async function tryToLook(peer) {
  try {
    await look(peer);
  } catch (error) {
    // One that does not start does not keep the others from being looked at.
    unexplained += 1;
    console.log(`${peer.name} (${peer.transport}): ${error instanceof Error ? error.message : error}`);
  }
}

/** @param {Peer | ClientPeer} peer */
async function look(peer) {
  const report = isClient(peer) ? await judgeClient(peer) : await judge(peer);
  results.push({ peer, report });
  results.sort((one, other) => all.indexOf(one.peer) - all.indexOf(other.peer));
  // Written as it grows: a run that is stopped leaves what it has seen.
  if (filter === undefined && !busy) writeFileSync(PAGE, page());
  const fresh = report.revisions
    .flatMap(({ findings }) => findings)
    .filter(({ id, level }) => (peer.ours === true || level === 'must') && !(id in (peer.real ?? {})));
  unexplained += fresh.length;
  const scores = report.revisions.map(({ revision, score }) => `${revision} ${score}`).join(', ');
  console.log(`${peer.name} (${peer.transport}): ${scores}`);
  for (const { id, revision, message, received } of fresh) {
    console.log(`  unexplained: ${id} ${revision} ${message} | ${received}`);
  }
}

function page() {
  return [
    '# Findings of the validator in unmodified servers and clients',
    '',
    'Written by `npm run validate:peers`. Each one is tested unmodified, in every revision that it supports. Every failed MUST',
    'was reviewed by hand; the reason is below, with the exchange that shows it. The versions are those of',
    '`package-lock.json` and `test/journeys/servers/package-lock.json`. `npm run validate:peers -- --busy` repeats all of it',
    'beside two busy loops and compares. An interrupted run keeps the servers and clients that it had finished.',
    '',
    '| Tested | Transport | Scores |',
    '|---|---|---|',
    ...results.map(({ peer, report }) => {
      const scores = report.revisions.map(({ revision, score }) => `${revision}: ${score}`).join(', ');
      return `| ${peer.name} | ${peer.transport} | ${scores} |`;
    }),
    ...results.flatMap(({ peer, report }) => section(peer, report)),
    '',
  ].join('\n');
}

/**
 * @param {Peer | ClientPeer} peer
 * @param {Report} report
 */
function section(peer, report) {
  /** @type {Map<string, Report['revisions'][number]['findings'][number][]>} */
  const byId = new Map();
  for (const finding of report.revisions.flatMap(({ findings }) => findings)) {
    byId.set(finding.id, [...(byId.get(finding.id) ?? []), finding]);
  }
  if (byId.size === 0) return [];
  const order = { must: 0, should: 1, derived: 2, may: 3 };
  const groups = [...byId.values()].toSorted(
    ([a], [b]) => order[a?.level ?? 'derived'] - order[b?.level ?? 'derived'],
  );
  return [
    '',
    `## ${peer.name}, ${peer.transport}`,
    ...groups.flatMap((findings) => {
      const [first] = findings;
      if (first === undefined) return [];
      const revisions = [...new Set(findings.map(({ revision }) => revision))].join(', ');
      const why = peer.real?.[first.id];
      return [
        '',
        `- **${first.id} ${first.level === 'derived' ? 'derived' : first.level.toUpperCase()}** ${first.title} (${revisions}).`,
        ...(why === undefined ? [] : [`  ${why}`]),
        ...code('sent', first.sent),
        ...code('received', first.received),
      ];
    }),
  ];
}

/**
 * @param {string} title
 * @param {string | undefined} text
 */
function code(title, text) {
  if (text === undefined || text === '') return [];
  // The page must not show paths of the machine that wrote it.
  const plain = text.replaceAll(root, '.').replaceAll(folder, '.').replace(/\s+/g, ' ');
  const short = plain.length > 200 ? `${plain.slice(0, 200)}...` : plain;
  return [`  - ${title}: \`${short.replaceAll('`', "'")}\``];
}
