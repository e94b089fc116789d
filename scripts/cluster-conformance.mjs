/**
 * `npm run cluster:conformance`: the official suite against three nodes behind a balancer that knows nothing of
 * sessions. Options are those of conformance/run.mjs.
 */
import { join } from 'node:path';
import { startCluster } from './cluster/cluster.mjs';
import { endWithParent, root, run } from './run.mjs';

endWithParent();
const cluster = await startCluster({ fixtures: true });
const suite = join(root, 'conformance', 'run.mjs');
const args = [suite, '--url', cluster.balancer.url, ...process.argv.slice(2)];
const { ok } = await run(process.execPath, args, { live: true });
console.log(`${cluster.balancer.connections()} connections over ${cluster.nodes.length} nodes`);
for (const node of cluster.nodes) process.stdout.write(node.complaints().replace(/^http:.*\n/m, ''));
await cluster.stop();
process.exit(ok ? 0 : 1);
