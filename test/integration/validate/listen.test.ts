/** `plumb validate --client --listen`: any application connects, and is told on screen what to do. */

import { expect, test } from 'vitest';
import { freePort } from '../../support/free-port.js';
import { start } from '../cli/plumb.js';
import { referenceClient } from './reference-client.js';

test('waits for an application, judges it, and goes on when it is quiet', { timeout: 180_000 }, async () => {
  const port = await freePort();
  const running = start([
    ...['validate', '--client', '--listen', String(port)],
    ...['--only', 'stateless,input-required', '--timeout', '60'],
  ]);
  const told = async (words: string): Promise<string> => {
    for (;;) {
      const line = running
        .stdout()
        .split('\n')
        .find((text) => text.startsWith(words));
      if (line !== undefined) return line;
      await new Promise((resolve) => running.process.stdout?.once('data', resolve));
    }
  };
  const url = `http://127.0.0.1:${port}/mcp`;
  // What later scenarios compare with comes first, in both eras.
  for (const rehearsal of ['rehearsal-4:', 'rehearsal-5:']) {
    expect(await told(rehearsal)).toContain(`connect to ${url}`);
    await referenceClient().run(url, new AbortController().signal);
  }
  expect(await told('stateless:')).toContain(`connect to ${url}`);
  await referenceClient().run(url, new AbortController().signal);
  // A scenario that needs a person says what that person has to do.
  expect(await told('input-required:')).toContain('then call a tool');
  await referenceClient().run(url, new AbortController().signal);
  const { code, stdout } = await running.ended;
  expect(stdout).toMatch(new RegExp(`client on port ${port}[\\s\\S]*2026-07-28 +100`));
  expect(code).toBe(0);
});
