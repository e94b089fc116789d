/**
 * Loaded into a node before the command itself (`node --import`): writes down what the node does with writes and
 * sessions, one JSON line a step. Each line is in the file before the node goes on, so that a kill loses none.
 */
import { subscribe } from 'node:diagnostics_channel';
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';

const directory = process.env.PLUMB_CLUSTER_HISTORY ?? '.';
const file = openSync(join(directory, `node-${process.pid}.jsonl`), 'a');

/** @param {Record<string, unknown>} step */
function record(step) {
  const at = performance.timeOrigin + performance.now();
  writeSync(file, `${JSON.stringify({ at, node: process.pid, ...step })}\n`);
}

const { createRedisStore } = await import(join(root, 'dist', 'store', 'index.js'));
// A store of its own, for the classes behind it: those of the command's store are the same.
const store = await createRedisStore(process.argv[process.argv.indexOf('--store') + 1]);

/**
 * Calls `report` with the arguments and what came of it: `before`, a result, or an error.
 *
 * @param {object} part  of a store
 * @param {string} method
 * @param {(args: any[], outcome: { before?: true, result?: unknown, error?: string }) => void} report
 */
function watch(part, method, report) {
  /** @type {Record<string, (...args: any[]) => Promise<unknown>>} */
  const prototype = Object.getPrototypeOf(part);
  const original = prototype[method];
  if (original === undefined) throw new Error(`There is no method ${method} to record`);
  prototype[method] = async function (...args) {
    report(args, { before: true });
    try {
      const result = await original.apply(this, args);
      report(args, { result });
      return result;
    } catch (error) {
      report(args, { error: String(error) });
      throw error;
    }
  };
}

watch(store.values, 'set', ([key, text], { before, error }) =>
  record({ step: before ? 'applying' : error ? 'not applied' : 'applied', key, text, error }),
);
watch(store.changes, 'publish', ([text], { before, error }) =>
  record({ step: before ? 'appending' : error ? 'not appended' : 'appended', text, error }),
);
watch(store.sessions, 'create', ([session, { clientInfo }], { before, error }) => {
  if (!before && !error) record({ step: 'session', session, client: clientInfo?.name });
});
watch(store.events, 'claim', ([session, stream], { before, result, error }) => {
  if (!before) record({ step: 'moved', session, stream, heard: result, error });
});
watch(store.events, 'appendChange', ([session, stream, , change], { before, result, error }) => {
  if (!before) record({ step: 'told', session, stream, change, event: result, error });
});

/** @param {unknown} message */
const isWrite = (message) => Reflect.get(Object(message), 'request')?.headers['mcp-name'] === 'write_note';
subscribe('http.server.request.start', (message) => {
  if (isWrite(message)) record({ step: 'received' });
});
subscribe('http.server.response.finish', (message) => {
  if (isWrite(message)) record({ step: 'answered' });
});
await store.close();
