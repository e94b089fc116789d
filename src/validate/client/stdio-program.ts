/**
 * The server that a client under test starts: a small program that passes everything on to the stage and does what
 * the stage says. It is written to a temporary folder because the client starts it by its path.
 *
 * Both ways are lines of JSON. To the stage: `in` (bytes of stdin, base64), `end` (end of input), `terminate` (SIGTERM).
 * From the stage: `out` and `err` (text), `exit` (a code).
 */

import { rmSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = `
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const stage = connect({ host: '127.0.0.1', port: Number('PORT') });
const tell = (event) => stage.write(JSON.stringify(event) + '\\n');
tell({ secret: 'SECRET' });
process.stdin.on('data', (chunk) => tell({ in: chunk.toString('base64') }));
process.stdin.on('end', () => tell({ end: true }));
process.stdin.on('error', () => tell({ end: true }));
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
process.on('SIGTERM', () => tell({ terminate: true }));
process.on('SIGINT', () => tell({ terminate: true }));
const orders = createInterface({ input: stage });
orders.on('error', () => process.exit(1));
orders.on('line', (line) => {
  const { out, err, exit } = JSON.parse(line);
  if (out !== undefined) process.stdout.write(out);
  if (err !== undefined) process.stderr.write(err);
  if (exit !== undefined) process.exit(exit);
});
stage.on('error', () => process.exit(1));
stage.on('close', () => process.exit(0));
`;

export interface StageProgram {
  readonly path: string;
  remove(): Promise<void>;
}

export async function writeStageProgram(port: number, secret: string): Promise<StageProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'plumb-stage-'));
  const removeNow = (): void => rmSync(folder, { recursive: true, force: true });
  // An interrupted run does not come to its end.
  process.once('exit', removeNow);
  const path = join(folder, 'server.mjs');
  const body = PROGRAM.replace('PORT', String(port)).replace('SECRET', secret);
  await writeFile(path, `#!${process.execPath}\n${body}`);
  await chmod(path, 0o700);
  const remove = async (): Promise<void> => {
    process.off('exit', removeNow);
    await rm(folder, { recursive: true, force: true });
  };
  return { path, remove };
}
