/**
 * `npm run validate:peers`: tests unmodified servers and clients, in every revision that they support, and
 * writes what was found to docs/validator-findings.md. Exits 1 when one of ours has a finding, or when a MUST
 * is found in a third-party one that has not been reviewed yet.
 *
 *   npm run validate:peers            all of them, about ten minutes
 *   npm run validate:peers -- memory  those whose name matches; the page is left alone
 */
import { writeFileSync } from 'node:fs';
import { CLIENT_PEERS, PEERS, startPeer } from '../test/integration/validate/fixtures/peers.mjs';
import { build } from './build.mjs';
import { root } from './run.mjs';

/**
 * @typedef {import('../test/integration/validate/fixtures/peers.mjs').Peer} Peer
 * @typedef {import('../src/validate/index.js').Report} Report
 */

const PARALLEL = 6;
const [filter] = process.argv.slice(2);
const built = await build();
if (!built.ok) {
  process.stderr.write(built.output);
  process.exit(1);
}
const entry = new URL('../dist/validate/index.js', import.meta.url).href;
/** @type {typeof import('../src/validate/index.js')} */
const { allFindings, commandClient, commandTarget, reportOf, urlTarget, validateClient, validateServer } =
  await import(entry);

/** @typedef {import('../test/integration/validate/fixtures/peers.mjs').ClientPeer} ClientPeer */

/** @type {(Peer | ClientPeer)[]} */
const all = [...PEERS, ...CLIENT_PEERS];
const chosen = all.filter(({ name }) => filter === undefined || name.includes(filter));
/** @type {{ peer: Peer | ClientPeer, report: Report }[]} */
const results = [];
let unexplained = 0;
const queue = chosen.toSorted((one, other) => Number(one.ours ?? false) - Number(other.ours ?? false));
// Most of the time is spent waiting for answers that must not come.
await Promise.all(
  Array.from({ length: PARALLEL }, async () => {
    for (let peer = queue.shift(); peer !== undefined; peer = queue.shift()) await look(peer);
  }),
);
console.log(`${results.length} servers and clients, ${unexplained} findings without an explanation`);
process.exitCode = unexplained === 0 ? 0 : 1;

/**
 * @param {Peer | ClientPeer} peer
 * @returns {peer is ClientPeer}
 */
function isClient(peer) {
  return peer.command.some((argument) => argument === '{url}' || argument === '{server}');
}

/** @param {ClientPeer} peer */
async function judgeClient(peer) {
  return reportOf(await validateClient(commandClient(process.execPath, peer.command)));
}

/** @param {Peer} peer */
async function judge(peer) {
  const running = await startPeer(peer);
  try {
    const target =
      running === undefined
        ? commandTarget({ command: process.execPath, args: peer.command })
        : urlTarget(running.url, { transport: peer.transport === 'sse' ? 'sse' : 'http' });
    return reportOf(await validateServer(target));
  } finally {
    running?.stop();
  }
}

/** @param {Peer | ClientPeer} peer */
async function look(peer) {
  const report = isClient(peer) ? await judgeClient(peer) : await judge(peer);
  results.push({ peer, report });
  results.sort((one, other) => all.indexOf(one.peer) - all.indexOf(other.peer));
  // Written as it grows: a run that is stopped leaves what it has seen.
  if (filter === undefined) writeFileSync(`${root}/docs/validator-findings.md`, page());
  const fresh = allFindings(report).filter(
    ({ id, level }) => peer.ours === true || (level === 'must' && !(id in (peer.real ?? {}))),
  );
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
    '`package-lock.json`. An interrupted run keeps the servers and clients that it had finished.',
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
  /** @type {Map<string, ReturnType<typeof allFindings>>} */
  const byId = new Map();
  for (const finding of allFindings(report)) {
    byId.set(finding.id, [...(byId.get(finding.id) ?? []), finding]);
  }
  if (byId.size === 0) return [];
  const order = { must: 0, should: 1, derived: 2 };
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
  const plain = text.replaceAll(root, '.').replace(/\s+/g, ' ');
  const short = plain.length > 200 ? `${plain.slice(0, 200)}...` : plain;
  return [`  - ${title}: \`${short.replaceAll('`', "'")}\``];
}
