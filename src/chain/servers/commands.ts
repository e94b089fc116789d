/** Programs as tools; loaded when used, because it needs Node. */

import type { Server } from '../../server/index.js';
import type { CommandOptions, CommandsOptions } from './node-commands.js';

/** Programs as tools, without a shell: `createCommandServer({ git: { args: ['log'] } })`. Node only. */
export async function createCommandServer(
  tools: Readonly<Record<string, CommandOptions>>,
  options: CommandsOptions = {},
): Promise<Server> {
  const { serveCommands } = await import('./node-commands.js');
  return serveCommands(tools, options);
}
