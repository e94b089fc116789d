/** A Redis Cluster of three masters, each with a replica, as processes on this machine. */
import { setTimeout as delay } from 'node:timers/promises';
import { command, RedisProcess, readChanges } from './redis.mjs';

/** @typedef {import('./redis.mjs').Redis} Redis */

const MASTERS = 3;
const SLOTS = 16_384;
/** A member that says nothing for this long has failed, and its replica takes over. */
const NODE_TIMEOUT_MS = 2_000;
const DEADLINE_MS = 60_000;
/** Where the changes are kept, which everything waits for: the worst member to lose. */
const CHANGES = 'plumb:{changes:all}';

/**
 * Its `restart` is a failover: the master of the change log is killed, its replica takes over, and it is started again
 * as a replica.
 *
 * @param {string} [fsync]
 * @returns {Promise<Redis & { replicated(): Promise<void> }>}  `replicated` resolves when the replica of that master
 *   has what was written up to now
 */
export async function startRedisCluster(fsync = 'always') {
  const args = [
    ...['--cluster-enabled', 'yes', '--cluster-node-timeout', `${NODE_TIMEOUT_MS}`],
    // A master would wait for more replicas, which do not come.
    ...['--repl-diskless-sync-delay', '0'],
  ];
  const starting = Array.from({ length: 2 * MASTERS }, () => RedisProcess.start(fsync, args));
  const started = await Promise.allSettled(starting);
  const members = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  try {
    await Promise.all(starting);
    await join(members);
  } catch (error) {
    await Promise.all(members.map((member) => member.stop()));
    throw error;
  }
  const alive = () => members.filter(({ isRunning }) => isRunning);
  /** The member that has the changes, as one that is alive sees it. */
  const owner = async () => {
    const [asked] = alive();
    const slot = Number(await command(urlOf(asked), ['CLUSTER', 'KEYSLOT', CHANGES]));
    for (const [from, to, [, port]] of await slotsOf(urlOf(asked)))
      if (slot >= from && slot <= to) return members.find((member) => member.port === port);
    return undefined;
  };
  return {
    url: `redis+cluster://${members.slice(0, MASTERS).map(({ port }) => `127.0.0.1:${port}`)}`,
    info: async (section) => {
      const texts = await Promise.all(alive().map(({ url }) => command(url, ['INFO', section])));
      return texts.join('\n');
    },
    changes: async () => readChanges(urlOf(await owner()), CHANGES),
    restart: async () => {
      const victim = await owner();
      await victim?.kill();
      await until(async () => (await owner()) !== victim, 'the replica takes over');
      await victim?.launch();
      // By now it is the replica of its replica, which may fail next.
      await untilReplicated(urlOf(await owner()));
    },
    replicated: async () => untilReplicated(urlOf(await owner())),
    stop: async () => {
      await Promise.all(members.map((member) => member.stop()));
    },
  };
}

/**
 * The first of them become masters, the others their replicas.
 *
 * @param {readonly RedisProcess[]} members
 */
async function join(members) {
  const masters = members.slice(0, MASTERS);
  const share = Math.ceil(SLOTS / MASTERS);
  for (const [index, { url }] of members.entries())
    await command(url, ['CLUSTER', 'SET-CONFIG-EPOCH', `${index + 1}`]);
  for (const [index, { url }] of masters.entries()) {
    const last = Math.min((index + 1) * share, SLOTS) - 1;
    await command(url, ['CLUSTER', 'ADDSLOTSRANGE', `${index * share}`, `${last}`]);
  }
  const [first, ...others] = members;
  for (const { port, busPort } of others)
    await command(urlOf(first), ['CLUSTER', 'MEET', '127.0.0.1', `${port}`, `${busPort}`]);
  await until(async () => {
    const known = await Promise.all(members.map(({ url }) => command(url, ['CLUSTER', 'NODES'])));
    return known.every((text) => String(text).trim().split('\n').length === members.length);
  }, 'the members know each other');
  for (const [index, { url }] of masters.entries()) {
    const id = String(await command(url, ['CLUSTER', 'MYID']));
    const replica = urlOf(members[MASTERS + index]);
    await until(
      () =>
        command(replica, ['CLUSTER', 'REPLICATE', id]).then(
          () => true,
          () => false,
        ),
      'a replica knows its master',
    );
  }
  await until(async () => {
    const states = await Promise.all(members.map(({ url }) => command(url, ['CLUSTER', 'INFO'])));
    return states.every((text) => String(text).includes('cluster_state:ok'));
  }, 'the members agree');
  await Promise.all(masters.map(({ url }) => untilReplicated(url)));
}

/**
 * How far a master has written, and how far its replica says that it has followed: -1 while there is none.
 *
 * @param {string} url
 */
async function replicationOf(url) {
  const info = String(await command(url, ['INFO', 'replication']));
  return {
    written: Number(/master_repl_offset:(\d+)/.exec(info)?.[1]),
    replicated: Number(/state=online,offset=(\d+)/.exec(info)?.[1] ?? -1),
  };
}

/**
 * Resolves when its replica has what it has written up to now.
 *
 * @param {string} url
 */
async function untilReplicated(url) {
  const { written } = await replicationOf(url);
  await until(async () => (await replicationOf(url)).replicated >= written, 'a replica has followed');
}

/** @param {RedisProcess | undefined} member */
function urlOf(member) {
  if (member === undefined) throw new Error('The Redis Cluster has no such member');
  return member.url;
}

/**
 * @param {string} url
 * @returns {Promise<[from: number, to: number, master: [host: string, port: number]][]>}
 */
async function slotsOf(url) {
  const slots = await command(url, ['CLUSTER', 'SLOTS']);
  return Array.isArray(slots) ? /** @type {any} */ (slots) : [];
}

/**
 * @param {() => Promise<boolean>} done
 * @param {string} what
 */
async function until(done, what) {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error(`Redis Cluster: waited too long until ${what}`);
    await delay(50);
  }
}
