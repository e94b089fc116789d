import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBrowser } from '../../auth/client/node-browser.js';
import { createChain } from '../../chain/index.js';
import { appendLines } from '../../chain/node.js';
import { createInspector } from '../../inspector/inspector.js';
import { ChainWatch } from '../../inspector/watch-chain.js';
import { log, metrics, record } from '../../middleware/index.js';
import type { CloseOptions } from '../../protocol/close-options.js';
import { PLUMB_VERSION } from '../../protocol/version.js';
import { createDemoServer } from '../demo/server.js';
import { addSkills } from '../demo/skills.js';
import { givenToken } from '../options/inspector-token.js';
import { createTerminal } from '../output/terminal.js';
import { commandName } from '../program/command-name.js';
import { savedCallsPath, savedServersFolder } from '../serving/inspector-files.js';
import { serveHttp } from '../serving/serve-http.js';
import { clientConfigs } from '../target/client-configs.js';

export interface StartFlags {
  readonly port: number;
  readonly open?: boolean;
}

/** The traffic file is put aside when it has grown beyond this, and one old one is kept. */
const TRAFFIC = { maxBytes: 10 * 1024 * 1024, keep: 1 };

/** What `npm start` runs: the demo server behind a chain over HTTP, and the inspector that watches both of its sides. */
export async function start({ port, open }: StartFlags): Promise<number> {
  const out = createTerminal(process.stdout);
  const counted = metrics();
  const traffic = join(tmpdir(), `plumb-traffic-${process.pid}.jsonl`);
  const inspector = createInspector({
    token: givenToken(),
    configs: clientConfigs(),
    savedCalls: savedCallsPath(),
    savedServers: savedServersFolder(),
  });
  const watch = new ChainWatch(inspector.core, 'Demo chain');
  const server = createDemoServer();
  await addSkills(server);
  const serving = createChain()
    .use(log(), counted, record({ write: appendLines(traffic, TRAFFIC) }))
    .to(watch.wrap({ demo: server }));
  const options = {
    port,
    legacySse: true,
    pages: { '/metrics': () => counted.text() },
    tap: watch.tap,
    otherwise: inspector.handler,
  };
  const running = {
    http: (given: typeof options) => serving.http(given),
    close: async (options?: CloseOptions) => {
      await inspector.close();
      await serving.close(options);
    },
  };
  return serveHttp(running, options, ({ url, origin }) => {
    const page = new URL(inspector.path, origin);
    const demo = inspector.core.servers.create(
      { kind: 'url', url, headers: {} },
      { kind: 'command line' },
      'demo',
    );
    void demo.connect();
    out.write(welcome(url, origin, page.href, (text) => out.style('bold', text)));
    out.write(`Calls are counted at ${origin}/metrics and recorded in ${traffic}\n`);
    // Only ever our own address.
    if (open !== false) void openBrowser(page);
  });
}

function welcome(url: string, origin: string, page: string, strong: (text: string) => string): string {
  const plumb = commandName();
  return `${strong(`Plumb ${PLUMB_VERSION}`)}: build MCP servers, connect clients, in every published revision of the protocol.

The inspector is at ${strong(page)}
The demo server listens at ${strong(url)} (old HTTP+SSE clients: ${origin}/sse).
Open the first in a browser, or paste one of these into another terminal:

  ${strong('See what it has')}
    ${plumb} list ${url}
  ${strong('Call a tool')}
    ${plumb} call ${url} add a=2 b=3
  ${strong('Answer a question that a tool asks')}
    ${plumb} call ${url} book_table guests=4
  ${strong('Read a resource')}
    ${plumb} read ${url} demo://cities/italy/pisa
  ${strong('The same server over stdio')}
    ${plumb} list -- ${plumb} demo --stdio
  ${strong('All commands')}
    ${plumb} --help

Ctrl-C ends it.
`;
}
