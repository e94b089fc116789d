/**
 * A server that fails in every way a process can, by the dice. Each nonce that it acts on is written to a file, so that
 * what the client was told can be held against what happened.
 *
 * Arguments: the file, the revision, a seed, and a port for HTTP.
 */
import { appendFileSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from '../../dist/server/index.js';
import { Dice } from './dice.mjs';

const [, , file = '', revision = '', seed = '0', port] = process.argv;
const dice = new Dice(Number(seed) ^ process.pid);
const server = createServer({ name: 'chaos', version: '1', revisions: [revision], onError: () => {} });

/** @param {string} nonce */
async function misbehave(nonce) {
  const fate = dice.roll();
  if (fate < 0.01) process.kill(process.pid, 'SIGKILL');
  else if (fate < 0.015) process.exit(3);
  else if (fate < 0.02) process.kill(process.pid, 'SIGSTOP');
  else if (fate < 0.04) await sleep(dice.between(100, 1_500));
  else if (fate < 0.045 && port === undefined) {
    // Half an answer, and gone.
    writeSync(1, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"${nonce}`);
    process.exit(4);
  } else if (fate < 0.06 && port === undefined) writeSync(1, 'a line that is no JSON\n');
}

const input = /** @type {const} */ ({ type: 'object', properties: { nonce: { type: 'string' } } });

for (const [name, annotations] of /** @type {const} */ ([
  ['echo', { readOnlyHint: true }],
  ['add', {}],
])) {
  server.tool(name, { input, annotations }, async ({ nonce }) => {
    if (name === 'add') appendFileSync(file, `${nonce}\n`);
    await misbehave(String(nonce));
    return String(nonce);
  });
}

if (port === undefined) await server.stdio();
else {
  await server.http({ port: Number(port), legacySse: true, allowedHosts: ['127.0.0.1'] });
  process.send?.('listening');
  // Whoever started us is gone.
  process.on('disconnect', () => process.exit());
}
