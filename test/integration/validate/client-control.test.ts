import { expect, test } from 'vitest';
import type { ClientUnderTest } from '../../../src/validate/client/validate-client.js';
import { reportOf, validateClient } from '../../../src/validate/index.js';
import { allFindings } from '../../../src/validate/report/report.js';
import { referenceClient, referenceStdioClient } from './reference-client.js';

/** A slow machine gets more time: whoever is stopped half way shows less, and nothing wrong. */
const SCENARIO_MS = 30_000;

async function findings(client: ClientUnderTest): Promise<readonly string[]> {
  const report = reportOf(await validateClient(client, { timeout: SCENARIO_MS }));
  expect(report).toMatchObject({ subject: 'client', transport: client.transport ?? 'http' });
  return allFindings(report).map(
    ({ id, revision, message, received }) => `${id} ${revision} ${message} | ${received?.slice(0, 200)}`,
  );
}

test.concurrent('finds nothing wrong with a correct client over HTTP', { timeout: 300_000 }, async () => {
  expect(await findings(referenceClient())).toEqual([]);
});

test.concurrent('finds nothing wrong with a correct client that starts its server', {
  timeout: 300_000,
}, async () => {
  expect(await findings(referenceStdioClient())).toEqual([]);
});
