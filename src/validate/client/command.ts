/**
 * A client as a command. What it is given decides how it is judged: {url} (or nothing) over HTTP, {server} or {config}
 * over stdio, where the client itself starts the server.
 */

import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { spawnChild } from '../../transports/stdio/child.js';
import type { ClientUnderTest } from './validate-client.js';

const LEFT_BEHIND_MS = 100;
const URL_PLACE = '{url}';
const SERVER_PLACE = '{server}';
const CONFIG_PLACE = '{config}';

/** A client that is a program. `{url}`, `{server}` or `{config}` in `args` says how it gets the server. */
export interface ClientCommand {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export function commandClient({ command, args = [], env = {} }: ClientCommand): ClientUnderTest {
  const label = [command, ...args].join(' ');
  const mentions = (place: string): boolean => args.some((argument) => argument.includes(place));
  if (!mentions(SERVER_PLACE) && !mentions(CONFIG_PLACE)) {
    return {
      label,
      run: (url, signal) => {
        const given = mentions(URL_PLACE) ? placed(args, { [URL_PLACE]: url }) : [...args, url];
        return start(command, given, { ...env, MCP_SERVER_URL: url }, signal);
      },
    };
  }
  return {
    label,
    transport: 'stdio',
    run: async (program, signal) => {
      const config = join(dirname(program), 'mcp.json');
      const servers = { stage: { command: process.execPath, args: [program] } };
      await writeFile(config, JSON.stringify({ mcpServers: servers }, null, 2));
      try {
        const given = placed(args, { [SERVER_PLACE]: program, [CONFIG_PLACE]: config });
        await start(command, given, { ...env, MCP_SERVER: program }, signal);
      } finally {
        await rm(config, { force: true });
      }
    },
  };
}

function placed(args: readonly string[], places: Readonly<Record<string, string>>): readonly string[] {
  return args.map((argument) =>
    Object.entries(places).reduce((text, [place, value]) => text.replaceAll(place, value), argument),
  );
}

async function start(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const child = await spawnChild({
    command,
    args: [...args],
    env,
    inheritEnv: true,
    shutdown: { endOfInput: 300, terminate: 1_000 },
  });
  child.stdout.resume();
  child.stdin.on('error', () => {});
  const stop = (): void => {
    child.stdin.end();
    void child.shutdown();
  };
  signal.addEventListener('abort', stop, { once: true });
  await child.ended;
  signal.removeEventListener('abort', stop);
  // A server that the client left behind notices the end of its input before we clear up.
  await delay(LEFT_BEHIND_MS);
  await child.shutdown();
}
