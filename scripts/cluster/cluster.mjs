/** Three nodes of the demo, the Redis that they share, and the balancer in front of them. */
import { randomBytes } from 'node:crypto';
import { startBalancer } from './balancer.mjs';
import { startNode } from './node.mjs';
import { startRedis } from './redis.mjs';
import { startRedisCluster } from './redis-cluster.mjs';

/**
 * @param {{ history?: string, redisCluster?: boolean, fixtures?: boolean }} [options]  where nodes write down what they
 *   do, whether they share a Redis Cluster, and whether they serve the conformance fixtures
 */
export async function startCluster({ history, redisCluster = false, fixtures = false } = {}) {
  const redis = await (redisCluster ? startRedisCluster() : startRedis());
  const keys = randomBytes(32).toString('base64url');
  /** @type {import('./node.mjs').ClusterNode[]} */
  const nodes = [];
  const addNode = async () => {
    nodes.push(await startNode(redis.url, { keys, fixtures, ...(history === undefined ? {} : { history }) }));
  };
  await Promise.all([addNode(), addNode(), addNode()]);
  const balancer = await startBalancer(() => nodes.filter(({ alive }) => alive).map(({ port }) => port));
  return {
    redis,
    nodes,
    balancer,
    addNode,
    stop: async () => {
      for (const node of nodes) node.kill();
      balancer.close();
      await redis.stop();
    },
  };
}
