/** A client of ours on this runtime. Takes its targets as JSON, and prints what happened as JSON. */
import process from 'node:process';
import { runBehaviours, useOfficialServer } from './behaviours.mjs';
import { REVISIONS } from './revisions.mjs';

/** @type {{ transport: string, target: import('plumb-mcp/client').Target, oldest?: import('plumb-mcp/client').Target, official?: import('plumb-mcp/client').Target }[]} */
const targets = JSON.parse(process.argv[2] ?? '[]');
const outcomes = [];
for (const { transport, target, oldest, official } of targets) {
  for (const revision of REVISIONS) {
    const first = revision === REVISIONS[0] && oldest !== undefined ? oldest : target;
    outcomes.push({ transport, revision: revision.version, outcome: await runBehaviours(first, revision) });
  }
  if (official !== undefined) outcomes.push({ transport, official: await useOfficialServer(official) });
}
console.log(JSON.stringify(outcomes));
process.exit(0);
