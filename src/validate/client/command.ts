/** A client as a command: the URL takes the place of {url}, or stands last. */

import { spawnChild } from '../../transports/stdio/child.js';
import type { ClientUnderTest } from './validate-client.js';

const PLACE = '{url}';

export function commandClient(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ClientUnderTest {
  return {
    label: [command, ...args].join(' '),
    run: async (url, signal) => {
      const placed = args.some((argument) => argument.includes(PLACE));
      const given = placed ? args.map((argument) => argument.replaceAll(PLACE, url)) : [...args, url];
      const child = await spawnChild({
        command,
        args: given,
        env: { ...env, MCP_SERVER_URL: url },
        inheritEnv: true,
        shutdown: { endOfInputMs: 300, terminateMs: 300 },
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
      await child.shutdown();
    },
  };
}
