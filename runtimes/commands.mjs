/** The `plumb` command of the installed package, on one version of Node. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finish, start } from './processes.mjs';

/** @typedef {import('./binaries.mjs').Runtime} Runtime */

const STRIPS_TYPES = /^(22\.(1[89]|[2-9]\d)|2[3-9]|[3-9]\d)/;

export const COMMANDS = ['list', 'call', 'demo', 'chain', 'validate', 'inspect', 'dev'];

/** The command with a server in TypeScript. */
export const TYPED = 'dev with server.ts';

/**
 * @param {Runtime} runtime
 * @param {string} folder
 * @returns {Promise<Record<string, string>>} `ok` or what went wrong, by command; nothing for what Node does not have
 */
export async function runCommands({ command: node, version, name }, folder) {
  const home = join(folder, `home-${name.replace(' ', '-')}`);
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_STATE_HOME: home,
    XDG_CACHE_HOME: home,
    NO_COLOR: '1',
  };
  const { bin } = JSON.parse(readFileSync(join(folder, 'node_modules', 'plumb-mcp', 'package.json'), 'utf8'));
  const plumb = join(folder, 'node_modules', 'plumb-mcp', bin.plumb);
  const server = [node, join(folder, 'programs', 'serve-stdio.mjs')];
  const config = join(folder, `${name.replace(' ', '-')}.json`);
  writeFileSync(config, JSON.stringify({ mcpServers: { tested: { command: node, args: server.slice(1) } } }));

  /** @param {string[]} args */
  const prints = async (args, /** @type {string} */ expected) => {
    const { code, stdout, stderr } = await finish(node, [plumb, ...args], { cwd: folder, env });
    if (code !== 0 || !stdout.includes(expected))
      throw new Error(`exit ${code}: ${stdout}${stderr}`.slice(-800));
  };
  /** @param {string[]} args */
  const listens = (args) =>
    start(node, [plumb, ...args], { cwd: folder, env, ready: /http:\/\/127\.0\.0\.1:\d+\/[\w/-]+/ });

  /** @type {Record<string, () => Promise<unknown>>} */
  const checks = {
    list: () => prints(['list', '--', ...server], 'add'),
    call: () => prints(['call', 'add', 'a=2', 'b=3', '--', ...server], '"sum": 5'),
    demo: async () =>
      prints(['call', await listens(['demo', '--http', '0']), 'add', 'a=2', 'b=3'], '"sum": 5'),
    chain: async () => prints(['list', await listens(['chain', '--mcp', config, '--http', '0'])], 'add'),
    validate: () =>
      prints(['validate', '--only', '001,002,003', '--revision', '2025-11-25', '--', ...server], '0 MUST'),
    inspect: async () => {
      const url = await listens(['inspect', '--no-open', '--', ...server]);
      const page = await fetch(url);
      if (page.status !== 200) throw new Error(`The page answers with ${page.status}`);
    },
    dev: () => prints(['list', '--', node, plumb, 'dev', '--no-validate', '--', ...server], 'add'),
    ...(STRIPS_TYPES.test(version)
      ? {
          [TYPED]: () =>
            prints(
              [
                'list',
                '--',
                node,
                plumb,
                'dev',
                '--no-validate',
                '--',
                node,
                join(folder, 'programs', 'typed-server.ts'),
              ],
              'hello',
            ),
        }
      : {}),
  };
  /** @type {Record<string, string>} */
  const outcome = {};
  for (const [command, check] of Object.entries(checks)) {
    outcome[command] = await check().then(
      () => 'ok',
      (error) => (error instanceof Error ? error.message : String(error)),
    );
  }
  return outcome;
}
