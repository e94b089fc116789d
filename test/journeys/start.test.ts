/** The pages of "Getting started", each pasted into an empty folder: what a stranger does, on Node 20, 22 and 24. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.js';
import { outputPattern, type PageStep, pageSteps } from './support/page.js';
import { found, installed, type RunOptions, startProgram, type Test } from './support/plumb.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();
const PAGES = ['server', 'client', 'chain', 'validate', 'inspect'];

interface Runtime {
  readonly name: string;
  readonly folder: string;
}

/** Folders with a `node`: the one of the tests, and those that runtimes/ installs. */
const runtimes: Runtime[] = [
  { name: process.version, folder: dirname(process.execPath) },
  ...['22', '24'].map((version) => {
    const name = `node-${version}-${process.platform}-${process.arch}`;
    const folder = fileURLToPath(new URL(`../../runtimes/node_modules/${name}/bin`, import.meta.url));
    return { name: `Node ${version}`, folder };
  }),
];

describe.for(PAGES)('the page start/%s', (page) => {
  const folder = workspace.path(`start-${page}`);
  mkdirSync(folder);
  const steps = pageSteps(`docs/start/${page}.md`);

  test.for(runtimes)('runs on $name', async (runtime, context) => {
    expect(existsSync(join(runtime.folder, 'node'))).toBe(true);
    const port = String(await freePort());
    // What was saved and written on another Node; what was installed stays.
    for (const name of readdirSync(folder)) {
      if (!/^(node_modules|package(-lock)?\.json)$/.test(name))
        rmSync(join(folder, name), { recursive: true });
    }
    for (const step of steps) await follow(step, { folder, runtime, port, context });
    expect(steps.length).toBeGreaterThan(1);
  });
});

interface Place {
  readonly folder: string;
  readonly runtime: Runtime;
  readonly port: string;
  readonly context: Test;
}

async function follow(step: PageStep, place: Place): Promise<void> {
  const text = step.text.replaceAll('3300', place.port);
  if (step.kind === 'file') {
    writeFileSync(join(place.folder, step.name), text);
    return;
  }
  const isInstall = text.includes('npm install');
  if (isInstall && existsSync(join(place.folder, 'node_modules'))) return;
  const running = shell(isInstall ? withPacked(text) : text, place, isInstall);
  const output = step.output?.replaceAll('3300', place.port);
  if (step.ending === 'keeps-running') {
    place.context.onTestFinished(async () => {
      if (running.process.pid !== undefined) process.kill(-running.process.pid, 'SIGTERM');
      await running.ended;
    });
    await found(running, new RegExp(outputPattern(output ?? '').source.slice(1, -1)));
    return;
  }
  const { code, stdout, stderr } = await running.ended;
  expect({ code, stderr: step.ending === 'fails' ? '' : stderr }, stdout + stderr).toEqual({
    code: step.ending === 'fails' ? 1 : 0,
    stderr: isInstall ? stderr : '',
  });
  if (output !== undefined) expect(stdout + stderr).toMatch(outputPattern(output));
}

function shell(
  script: string,
  { folder, runtime }: Place,
  isInstall: boolean,
): ReturnType<typeof startProgram> {
  const path = `${runtime.folder}${delimiter}${process.env.PATH}`;
  const quiet = { npm_config_loglevel: 'error', npm_config_update_notifier: 'false' };
  // npm finds its registry and its cache in the environment of the user.
  const env = isInstall ? { ...definedVariables(), ...quiet, PATH: path } : { ...quiet, PATH: path };
  const options: RunOptions = { cwd: folder, detached: true, env };
  return startProgram(workspace, '/bin/sh', ['-e', '-c', script], options);
}

function definedVariables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The package as it is here, and the others in the versions that the tests know. */
function withPacked(script: string): string {
  const [tarball = ''] = readdirSync(installed).filter((name) => name.endsWith('.tgz'));
  return script.replaceAll(/npm install (.*)/g, (_, names: string) => {
    const packages = names
      .split(' ')
      .map((name) => (name === 'plumb-mcp' ? join(installed, tarball) : pinned(name)));
    return `npm install --no-audit --no-fund --prefer-offline ${packages.join(' ')}`;
  });
}

function pinned(name: string): string {
  const file = fileURLToPath(new URL(`../../node_modules/${name}/package.json`, import.meta.url));
  return `${name}@${JSON.parse(readFileSync(file, 'utf8')).version}`;
}
