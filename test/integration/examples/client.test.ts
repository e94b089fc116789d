/** The examples of docs/client.md, run as a reader would run them; what they print is what the page says. */

import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAGE = await readFile(join(ROOT, 'docs/client.md'), 'utf8');

describe.each(['client-recovery', 'client-pool'])('examples/%s.mjs', (name) => {
  test('prints what docs/client.md shows', async () => {
    const [, shown] = new RegExp(`node examples/${name}\\.mjs\\n(.*?)\`\`\``, 's').exec(PAGE) ?? [];
    const { stdout } = await run(process.execPath, [join(ROOT, 'examples', `${name}.mjs`)]);
    expect(stdout).toBe(shown);
  });
});

describe('the code in docs/client.md', () => {
  /** Each piece of code, and the block behind it, which shows what it prints. */
  const pieces = [...PAGE.matchAll(/```js\n(.*?)```\n\n```\n(.*?)```/gs)].map(
    ([, code = '', shown = ''], index) => ({ number: index + 1, code, shown }),
  );

  test('comes with what it prints, all of it', () => {
    expect(pieces).toHaveLength(PAGE.split('```js\n').length - 1);
    expect(pieces.length).toBeGreaterThan(2);
  });

  test.each(pieces)('prints what the page shows: piece $number', async ({ number, code, shown }) => {
    // Inside the package, so that `plumb-mcp/...` resolves to what was built.
    const folder = join(ROOT, '.scratch', `client-page-${process.pid}-${number}`);
    await mkdir(folder, { recursive: true });
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'example.mjs');
    await writeFile(file, code);
    const { stdout } = await run(process.execPath, [file], { cwd: ROOT });
    expect(stdout).toBe(shown);
  });
});
