import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** A small edition of `npm run cluster`; it needs the built command. */
it('answers everybody rightly while nodes are killed and Redis is restarted', async () => {
  const script = fileURLToPath(new URL('../../../scripts/cluster.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, '--quick'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(output).toMatch(/killed with -9 [1-9]\d* times; 1 restarts of Redis/);
  expect([code, output]).toEqual([0, output]);
}, 240_000);
