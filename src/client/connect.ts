import { Client } from './client.js';
import { Core } from './core.js';
import { type ConnectOptions, completeSettings } from './options.js';
import type { Target } from './target.js';

/**
 * Connects to a server and agrees with it on a protocol revision.
 *
 * ```ts
 * const client = await connect({ command: 'node', args: ['server.js'] });
 * for await (const tool of client.tools) console.log(tool.name);
 * ```
 *
 * A connection that is lost is opened again; `client.on('state', ...)` reports it. Only the first one has to
 * succeed, unless `lazy` is set.
 */
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Client> {
  const core = new Core(target, await completeSettings(options, target), options);
  await core.driver.connect(options.signal);
  return new Client(core);
}
