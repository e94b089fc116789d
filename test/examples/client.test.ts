/** The examples of docs/client.md, run as a reader would run them; what they print is what the page says. */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe.each(['client-recovery', 'client-pool'])('examples/%s.mjs', (name) => {
  test('prints what docs/client.md shows', async () => {
    const page = await readFile(join(ROOT, 'docs/client.md'), 'utf8');
    const [, shown] = new RegExp(`node examples/${name}\\.mjs\\n([^]*?)\`\`\``).exec(page) ?? [];
    const { stdout } = await run(process.execPath, [join(ROOT, 'examples', `${name}.mjs`)]);
    expect(stdout).toBe(shown);
  });
});
