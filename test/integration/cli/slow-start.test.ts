/** Servers that take long to start, as the first `npx -y` of a package does. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVERYTHING, fixture, plumb, start } from './plumb.js';

const SERVER = EVERYTHING[2] ?? '';
const SOON = { timeout: 20_000 };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumb-slow-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Goes on when the file `go` appears in the folder. */
function slowStarter(): string[] {
  return fixture('slow-starter', join(folder, 'go'), SERVER, 'stdio');
}

describe('plumb list and a server that starts slowly', () => {
  it('waits for it, and shows that it starts and what it prints', async () => {
    const running = start(['list', 'tools', ...slowStarter()]);
    await expect
      .poll(() => running.stderr(), SOON)
      .toMatch(
        /^plumb: the server is still starting; waiting up to 60 s \(--connect-timeout\)\nnpm warn exec .*slow-starter\n$/,
      );
    await writeFile(join(folder, 'go'), '');
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(0);
    expect(stdout).toContain('get-sum');
    expect(stderr).toContain('\ninstalled\n');
  }, 60_000);

  it('names the limit that was reached and the flag that raises it', async () => {
    const { code, stderr } = await plumb(['list', '--connect-timeout', '4s', ...slowStarter()], {
      startNotices: true,
    });
    expect(code).toBe(3);
    expect(stderr).toContain('waiting up to 4 s (--connect-timeout)');
    expect(stderr).toMatch(
      /did not answer within 4 s, though its process runs; allow more with --connect-timeout, .*its stderr is above\n$/,
    );
  }, 60_000);

  it('takes the limit from its entry in a config file', async () => {
    const [, command, ...args] = slowStarter();
    const slow = { command, args: [...args, '--api-key=abcdefghijklmnop'], connectTimeout: '300ms' };
    const config = join(folder, 'mcp.json');
    await writeFile(config, JSON.stringify({ mcpServers: { slow } }));
    const { code, stderr } = await plumb(['list', 'slow', '--config', config]);
    expect(code).toBe(3);
    expect(stderr).toContain('did not answer within 300 ms');
    expect(stderr).not.toContain('abcdefghijklmnop');
  }, 60_000);

  it('says which entry has a limit that is no duration', async () => {
    const config = join(folder, 'mcp.json');
    await writeFile(
      config,
      JSON.stringify({ mcpServers: { slow: { command: 'x', connectTimeout: 'soon' } } }),
    );
    const { code, stderr } = await plumb(['list', 'slow', '--config', config]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'server "slow": "connectTimeout" must be a number of milliseconds, or text such as "90s" or "2m"',
    );
  }, 60_000);
});
