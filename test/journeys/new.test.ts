import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type Ended, installed, startProgram } from './support/plumb.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();
const [tarball = ''] = readdirSync(installed).filter((name) => name.endsWith('.tgz'));

function npm(words: readonly string[], cwd: string): Promise<Ended> {
  // The npm of the user, with its cache and its registry.
  const { HOME = workspace.path('home') } = process.env;
  return startProgram(workspace, 'npm', [...words], { cwd, env: { HOME } }).ended;
}

function install(cwd: string, ...packages: string[]): Promise<Ended> {
  return npm(['install', '--no-audit', '--no-fund', '--prefer-offline', '--install-links', ...packages], cwd);
}

it('creates a server with npm create whose tests pass as generated and which scores 100', async () => {
  const creator = fileURLToPath(new URL('../../packages/create-plumb-mcp', import.meta.url));
  workspace.write('package.json', { name: 'work', private: true });
  expect(await install(workspace.folder, join(installed, tarball), creator)).toMatchObject({ code: 0 });
  const options = ['--with', 'resources,prompts'];
  const created = await npm(['exec', '--', 'create-plumb-mcp', 'my-server', ...options], workspace.folder);
  expect(created).toMatchObject({ code: 0, stdout: expect.stringContaining('npm run validate') });

  const project = workspace.path('my-server');
  expect(await install(project, join(installed, tarball))).toMatchObject({ code: 0 });
  expect(await npm(['test'], project)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('# fail 0'),
  });
  expect(await npm(['run', 'validate'], project)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('100/100, complete'),
  });
});
