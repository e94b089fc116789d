import { assertOptionNames } from '../protocol/option-names.js';
import type { DescribedServer } from '../protocol/tool-types.js';
import { Client } from './client.js';
import { Core } from './core.js';
import { CONNECT_OPTIONS } from './option-names.js';
import { type ConnectOptions, completeSettings } from './options.js';
import type { Target, TransportSource } from './target.js';
import type { ClientOf } from './typed-client.js';

/**
 * Connects to a server and agrees with it on a protocol revision.
 *
 * ```ts
 * const client = await connect({ command: 'node', args: ['server.js'] });
 * for await (const tool of client.tools) console.log(tool.name);
 * ```
 *
 * Where the tools are known to the compiler (`tools` of `createServer`), `connect(server)` and
 * `connect<typeof server>(url)` know their names, arguments and results.
 *
 * A connection that is lost is opened again; `client.on('state', ...)` reports it. Only the first one has to
 * succeed, unless `lazy` is set.
 */
export function connect<Server extends DescribedServer>(
  server: Server & TransportSource,
  options?: ConnectOptions,
): Promise<ClientOf<Server>>;
export function connect<Server extends DescribedServer = DescribedServer>(
  target: Target,
  options?: ConnectOptions,
): Promise<ClientOf<Server>>;
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Client> {
  assertOptionNames('connect', options, CONNECT_OPTIONS);
  const core = new Core(target, await completeSettings(options, target), options);
  await core.driver.connect(options.signal);
  return new Client(core);
}
