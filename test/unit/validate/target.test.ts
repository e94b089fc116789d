import { expect, it } from 'vitest';
import { createServer } from '../../../src/server/server.js';
import { createMemoryPair } from '../../../src/transports/memory.js';
import { diagnose, fuzz, reportOf, validateClient, validateServer } from '../../../src/validate/index.js';
import { validationTarget } from '../../../src/validate/target.js';

const URL_TEXT = 'https://example.com/mcp';

it('takes the targets of connect', () => {
  const plain = { kind: 'http', label: URL_TEXT, url: new URL(URL_TEXT), headers: {} };
  expect(validationTarget(URL_TEXT)).toEqual(plain);
  expect(validationTarget(new URL(URL_TEXT))).toEqual(plain);
  expect(validationTarget({ url: URL_TEXT, headers: { a: 'b' } })).toEqual({ ...plain, headers: { a: 'b' } });
  expect(validationTarget({ url: URL_TEXT, transport: 'sse' })).toEqual({ ...plain, kind: 'sse' });
  expect(validationTarget({ command: 'node', args: ['a.js'] })).toMatchObject({
    kind: 'stdio',
    label: 'node a.js',
  });
});

it('refuses what the validator cannot open again, or cannot send by itself', () => {
  const [transport] = createMemoryPair();
  expect(() => validationTarget(transport)).toThrow('A transport can be used once');
  expect(() => validationTarget({ url: URL_TEXT, headers: () => ({}) })).toThrow(
    'pass the headers themselves',
  );
});

it('validates a server of this process', async () => {
  const server = createServer({ name: 'here', version: '1.0.0' });
  server.tool('hello', {}, () => 'hi');
  const validation = await validateServer(server, { only: ['010', '011'], quiet: 10 });
  expect(reportOf(validation).spoken).toHaveLength(5);
  await server.close();
});

it('refuses misspelt options by name', async () => {
  const misspelt = (options: object): object => options;
  const server = createServer({ name: 'here', version: '1.0.0' });
  await expect(validateServer(server, misspelt({ timeoutMs: 5 }))).rejects.toThrow(
    'validateServer has no option "timeoutMs"; did you mean "timeout"?',
  );
  await expect(validateClient({ command: 'node' }, misspelt({ quietMs: 5 }))).rejects.toThrow('"quiet"');
  await expect(diagnose(server, misspelt({ connectTimeOut: 5 }))).rejects.toThrow('"connectTimeout"');
  await expect(fuzz(server, { duration: 1, seed: 1, ...misspelt({ sed: 1 }) })).rejects.toThrow('"seed"');
  await server.close();
});
