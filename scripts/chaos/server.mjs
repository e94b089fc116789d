/**
 * A server that fails in every way a process can, by the dice. Each nonce that it acts on is written to a file, so that
 * what the client was told can be held against what happened; so are its process id and its misdeeds.
 *
 * Arguments: the file, the revision, a seed, the sabotage, and a port for HTTP.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'plumb-mcp/server';
import { Dice } from './dice.mjs';

const [, , file = '', revision = '', seed = '0', sabotage = 'none', port] = process.argv;
const overStdio = port === undefined;
const dice = new Dice(Number(seed) ^ process.pid);
const server = createServer({ name: 'chaos', version: '1', revisions: [revision], onError: () => {} });
appendFileSync(`${file}.pids`, `${process.pid}\n`);
if (sabotage === 'process') leaveBehind();

/** @param {string} what */
function confess(what) {
  appendFileSync(`${file}.deeds`, `${what}\n`);
}

/** @param {string} nonce */
async function misbehave(nonce) {
  const fate = dice.roll();
  if (fate < 0.01) {
    confess('crash');
    process.kill(process.pid, 'SIGKILL');
  } else if (fate < 0.015) {
    confess('exit');
    process.exit(3);
  } else if (fate < 0.02) {
    confess('hang');
    process.kill(process.pid, 'SIGSTOP');
  } else if (fate < 0.04) {
    confess('stall');
    await sleep(dice.between(100, 1_500));
  } else if (fate < 0.045 && overStdio) {
    confess('truncate');
    writeSync(1, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"${nonce}`);
    process.exit(4);
  } else if (fate < 0.06 && overStdio) {
    confess('noise');
    writeSync(1, 'a line that is no JSON\n{"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n');
  }
}

const input = /** @type {const} */ ({ type: 'object', properties: { nonce: { type: 'string' } } });

for (const [name, annotations] of /** @type {const} */ ([
  ['echo', { readOnlyHint: true }],
  ['add', {}],
])) {
  server.tool(name, { input, annotations }, async ({ nonce }, ctx) => {
    const text = String(nonce);
    if (name === 'add') appendFileSync(file, `${text}\n`);
    if (name === 'add' && sabotage === 'twice') appendFileSync(file, `${text}\n`);
    ctx.progress(1, undefined, text);
    await misbehave(text);
    return sabotage === 'answer' && dice.happens(0.1) ? `${text}0` : text;
  });
}

if (overStdio) await server.stdio();
else {
  await server.http({ port: Number(port), legacySse: true, allowedHosts: ['127.0.0.1'] });
  process.send?.('listening');
  // Whoever started us is gone.
  process.on('disconnect', () => process.exit());
}

/** A process of another group, which nobody will end. It does so itself after a while. */
function leaveBehind() {
  const script = 'setTimeout(() => {}, 60_000)';
  const child = spawn(process.execPath, ['-e', script, file], { detached: true, stdio: 'ignore' });
  child.unref();
  appendFileSync(`${file}.pids`, `${child.pid}\n`);
}
