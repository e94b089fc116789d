/**
 * `npm run matrix`: every client in front of every server, over every transport on either side, with a chain between
 * them, and the outcome as tables in docs/compatibility.md.
 *
 *   npm run matrix -- --client NAME --server NAME --front TRANSPORT --back TRANSPORT
 *
 * runs the cells of which these are parts of the names, and writes nothing.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { endWithParent, root } from './run.mjs';

endWithParent();
const { values: wanted } = parseArgs({
  options: {
    client: { type: 'string' },
    server: { type: 'string' },
    front: { type: 'string' },
    back: { type: 'string' },
  },
});
const built = await build();
if (!built.ok) {
  process.stderr.write(built.output);
  process.exit(1);
}

// These load what was just built.
const { allCells, runServer } = await import('./matrix/cells.mjs');
const { clientsOf } = await import('./matrix/clients.mjs');
const { failuresOf, pageOf } = await import('./matrix/page.mjs');
const { serversOf } = await import('./matrix/servers.mjs');
const { PROTOCOL_REVISIONS: REVISIONS } = await import(
  pathToFileURL(join(root, 'dist', 'protocol', 'index.js')).href
);

/** Servers at a time; their cells run one after the other. */
const WIDTH = 3;

const clients = clientsOf(REVISIONS);
const servers = serversOf(REVISIONS);
const cells = allCells(clients, servers).filter(
  ({ client, server, front, back }) =>
    client.name.includes(wanted.client ?? '') &&
    server.name.includes(wanted.server ?? '') &&
    front.includes(wanted.front ?? '') &&
    back.includes(wanted.back ?? ''),
);
const total = cells.length;

/** @type {import('./matrix/cells.mjs').Outcome[]} */
const outcomes = [];
const queue = servers.filter((server) => cells.some((cell) => cell.server === server));
async function work() {
  for (let server = queue.shift(); server !== undefined; server = queue.shift()) {
    const { name } = server;
    const own = cells.filter((cell) => cell.server.name === name);
    await runServer(server, own, (outcome) => {
      outcomes.push(outcome);
      const { client, front, back, tried, failures } = outcome;
      const count = `${String(outcomes.length).padStart(3)}/${total}`;
      process.stdout.write(
        `${count} ${client.name} over ${front} -> ${name} over ${back}: ${tried - failures.length} of ${tried}\n`,
      );
      for (const failure of failuresOf(outcome)) process.stdout.write(`        ${failure}\n`);
    });
  }
}
await Promise.all(Array.from({ length: WIDTH }, work));

const failed = outcomes.filter(({ failures }) => failures.length > 0).length;
process.stdout.write(`${outcomes.length - failed} cells passed, ${failed} failed\n`);
if (Object.keys(wanted).length === 0) {
  writeFileSync(join(root, 'docs', 'compatibility.md'), pageOf(clients, servers, outcomes));
}
// Clients of the SDKs may leave timers behind.
process.exit(failed === 0 ? 0 : 1);
