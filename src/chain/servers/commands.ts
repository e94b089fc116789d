/** Programs as tools; loaded when used, because it needs Node. */

import type { Server } from '../../server/index.js';
import type { CommandOptions, CommandsOptions } from './node-commands.js';

export async function commands(
  tools: Readonly<Record<string, CommandOptions>>,
  options: CommandsOptions = {},
): Promise<Server> {
  const { createCommandServer } = await import('./node-commands.js');
  return createCommandServer(tools, options);
}
