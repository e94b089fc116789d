import { Client } from './client.js';
import { Core } from './core.js';
import { openConnection } from './open.js';
import { type ConnectOptions, resolveSettings } from './options.js';
import type { Target } from './target.js';

/**
 * Connects to a server and agrees with it on a protocol revision.
 *
 * ```ts
 * const client = await connect({ command: 'node', args: ['server.js'] });
 * for await (const tool of client.tools) console.log(tool.name);
 * ```
 */
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Client> {
  const core = new Core(resolveSettings(options), options);
  await core.attach(await openConnection(target, core));
  return new Client(core);
}
