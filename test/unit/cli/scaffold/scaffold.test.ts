import { expect, it } from 'vitest';
import type { ScaffoldChoices } from '../../../../src/cli/scaffold/choices.js';
import { scaffoldFiles } from '../../../../src/cli/scaffold/scaffold.js';

const PLAIN: ScaffoldChoices = {
  name: 'my-server',
  transport: 'stdio',
  features: [],
  auth: false,
  plumbVersion: '1.2.3',
  runsTypeScript: true,
};

function file(path: string, choices: Partial<ScaffoldChoices> = {}): string {
  return scaffoldFiles({ ...PLAIN, ...choices }).get(path) ?? '';
}

it('depends on the version that made the project, and on tsx only where Node does not run TypeScript', () => {
  const { dependencies, devDependencies } = JSON.parse(file('package.json'));
  expect(dependencies['plumb-mcp']).toBe('^1.2.3');
  expect(devDependencies).not.toHaveProperty('tsx');
  expect(JSON.parse(file('package.json', { runsTypeScript: false })).devDependencies).toHaveProperty('tsx');
});

it('has resources and prompts only when chosen, in the server, its tests and its manifest', () => {
  expect(file('src/server.ts')).not.toMatch(/server\.(resource|prompt)/);
  const features = ['resources', 'prompts'] as const;
  expect(file('src/server.ts', { features })).toMatch(/server\.resource\([\s\S]*server\.prompt\(/);
  expect(file('src/server.test.ts', { features })).toMatch(/client\.read[\s\S]*client\.prompt/);
  expect(JSON.parse(file('manifest.json', { features })).prompts).toHaveLength(1);
});

it('starts a bundle over stdio, also where the server is for HTTP', () => {
  const manifest = JSON.parse(file('manifest.json', { name: '@me/notes', transport: 'http' }));
  expect(manifest).toMatchObject({
    name: 'me-notes',
    server: { mcp_config: { args: [expect.stringContaining('dist/main.js'), '--stdio'] } },
  });
  expect(file('src/main.ts', { transport: 'http' })).toContain("'--stdio'");
});

it('asks for tokens over HTTP when chosen', () => {
  expect(file('src/main.ts', { transport: 'http', auth: true })).toContain(
    'bearer({ issuer, audience: resource })',
  );
  expect(file('src/main.ts', { transport: 'http' })).not.toContain('bearer');
});
