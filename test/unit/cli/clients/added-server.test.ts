import { expect, it } from 'vitest';
import { parseServer } from '../../../../src/cli/clients/added-server.js';
import { parseChoice } from '../../../../src/cli/clients/client-questions.js';
import { CLIENTS, clientById } from '../../../../src/cli/clients/definitions.js';
import { parseRegistryServer } from '../../../../src/cli/clients/registry-server.js';

it.each([
  [['npm:@modelcontextprotocol/server-memory'], 'memory'],
  [['npm:@playwright/mcp@latest'], 'mcp'],
  [['npm:mcp-server-sqlite'], 'sqlite'],
  [['npm:weather-mcp@1.0.0'], 'weather'],
  [['https://mcp.linear.app/mcp'], 'linear'],
  [['given', 'https://mcp.linear.app/mcp'], 'given'],
])('names %j', (words, name) => {
  expect(parseServer(words, undefined, {}).name).toBe(name);
});

it('names a command by its last word that is no option', () => {
  expect(parseServer([], ['node', 'dist/notes-server.js', '--fast'], {}).name).toBe('notes');
});

it('tells variables with values from references', () => {
  const flags = { env: ['A=1', 'B', 'C=a=b', 'D='] };
  expect(parseServer(['x'], ['run'], flags).entry).toMatchObject({
    env: { A: '1', B: `\${B}`, C: 'a=b', D: '' },
  });
  expect(() => parseServer(['x'], ['run'], { env: ['1=2'] })).toThrow('--env "1=2" must be NAME=value');
  expect(() => parseServer(['x', 'https://a.example'], undefined, flags)).toThrow('--env is for servers');
  expect(() => parseServer(['x'], ['run'], { header: ['A: b'] })).toThrow(
    '--header and --transport are for URLs',
  );
});

it('starts PyPI packages and containers of the registry, and reaches its remotes', () => {
  const server = (fields: object): unknown =>
    parseRegistryServer({ name: 'a.b/c', ...fields }, 'server.json').entry;
  expect(server({ packages: [{ registryType: 'pypi', identifier: 'c', version: '1.0' }] })).toMatchObject({
    command: 'uvx',
    args: ['c@1.0'],
  });
  const container = {
    registryType: 'oci',
    identifier: 'ghcr.io/a/c:1',
    runtimeArguments: [{ type: 'named', name: '--network', value: 'host' }],
    packageArguments: [{ type: 'positional', value: 'serve' }],
    environmentVariables: [{ name: 'TOKEN', isSecret: true, isRequired: true }, { name: 'LEVEL' }],
  };
  expect(server({ packages: [container] })).toEqual({
    kind: 'stdio',
    command: 'docker',
    args: ['run', '-i', '--rm', '--network', 'host', '-e', 'TOKEN', 'ghcr.io/a/c:1', 'serve'],
    env: { TOKEN: `\${TOKEN}` },
  });
  const headers = [{ name: 'X-Api-Key', isSecret: true, isRequired: true }];
  expect(server({ remotes: [{ type: 'streamable-http', url: 'https://c.example/mcp', headers }] })).toEqual({
    kind: 'http',
    url: 'https://c.example/mcp',
    headers: { 'X-Api-Key': `\${X_API_KEY}` },
  });
  expect(() => server({ packages: [{ registryType: 'nuget', identifier: 'c' }] })).toThrow(
    'no package of npm, PyPI',
  );
});

it('reports what a server of the registry needs and the file does not give', () => {
  const variables = [{ name: 'REGION', isRequired: true }];
  const found = { registryType: 'npm', identifier: 'c', environmentVariables: variables };
  expect(parseRegistryServer({ name: 'c', packages: [found] }, 'server.json').missing).toEqual(['REGION']);
});

it('understands a choice of clients by number and by name', () => {
  const [first, second] = CLIENTS;
  expect(parseChoice('1, codex 2 1', [])).toEqual([first, clientById('codex'), second]);
  expect(parseChoice('', [clientById('goose')])).toEqual([clientById('goose')]);
  expect(() => parseChoice('', [])).toThrow('Choose at least one client');
  expect(() => parseChoice('99', [])).toThrow('"99" is not a client');
});
