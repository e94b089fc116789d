/** The demo: one server with every feature, for trying clients. */

import { PLUMB_VERSION } from '../../protocol/version.js';
import { createServer, type Server } from '../../server/index.js';
import { createMemoryStore, type Store } from '../../store/index.js';
import { addApp } from './app.js';
import { ICONS } from './media.js';
import { addPrompts } from './prompts.js';
import { addResources } from './resources.js';
import { addAskingTools } from './tools/asking.js';
import { addChangingTools } from './tools/changing.js';
import { addContentTools } from './tools/content.js';
import { addFailingTools } from './tools/failing.js';
import { addLongTools } from './tools/long.js';
import { addRunningTools } from './tools/running.js';

export interface DemoOptions {
  /** The protocol revisions to speak; all of them by default. */
  readonly revisions?: readonly string[] | undefined;
  /** This many more tools, for lists that fill several pages. */
  readonly extraTools?: number | undefined;
  readonly pageSize?: number | undefined;
  /** What this server shares with other nodes: the note, so that every node reads the same. */
  readonly store?: Store | undefined;
}

export function createDemoServer(options: DemoOptions = {}): Server {
  const { revisions, extraTools = 0, pageSize, store = createMemoryStore() } = options;
  const server = createServer({
    name: 'plumb-demo',
    title: 'Plumb demo',
    version: PLUMB_VERSION,
    description: 'Shows every feature of the Model Context Protocol.',
    icons: ICONS,
    instructions: 'A server for trying clients. Nothing here has any effect outside this process.',
    ...(revisions === undefined ? {} : { revisions }),
    ...(pageSize === undefined ? {} : { pageSize }),
  });
  // The order of registration is the order of the lists. The first tool has to work without arguments.
  addContentTools(server);
  addRunningTools(server);
  addLongTools(server);
  addAskingTools(server);
  addFailingTools(server);
  addChangingTools(server, store.values);
  addResources(server);
  addPrompts(server);
  addApp(server);
  addExtraTools(server, extraTools);
  return server;
}

function addExtraTools(server: Server, count: number): void {
  const digits = String(count).length;
  for (let number = 1; number <= count; number += 1) {
    const name = `extra_${String(number).padStart(digits, '0')}`;
    server.tool(
      name,
      { description: `Extra tool ${number} of ${count}.` },
      () => `This is extra tool ${number}.`,
    );
  }
}
