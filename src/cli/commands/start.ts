import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chain } from '../../chain/index.js';
import { appendLines } from '../../chain/node.js';
import { log, metrics, record } from '../../middleware/index.js';
import { PLUMB_VERSION } from '../../protocol/version.js';
import { createDemoServer } from '../demo/server.js';
import { createTerminal } from '../output/terminal.js';
import { serveHttp } from '../serve-http.js';

export interface StartFlags {
  readonly port: number;
}

/** The traffic file is put aside when it has grown beyond this, and one old one is kept. */
const TRAFFIC = { maxBytes: 10 * 1024 * 1024, keep: 1 };

/** What `npm start` runs: the demo server behind a chain over HTTP, and what to do with it. */
export async function start({ port }: StartFlags): Promise<number> {
  const out = createTerminal(process.stdout);
  const counted = metrics();
  const traffic = join(tmpdir(), `plumb-traffic-${process.pid}.jsonl`);
  const serving = chain()
    .use(log(), counted, record({ write: appendLines(traffic, TRAFFIC) }))
    .to(createDemoServer());
  const options = { port, legacySse: true, pages: { '/metrics': () => counted.text() } };
  return serveHttp(serving, options, ({ url, origin }) => {
    out.write(welcome(url, origin, (text) => out.style('bold', text)));
    out.write(`Calls are counted at ${origin}/metrics and recorded in ${traffic}\n`);
  });
}

function welcome(url: string, origin: string, strong: (text: string) => string): string {
  const plumb = 'node dist/cli/main.js';
  return `${strong(`Plumb ${PLUMB_VERSION}`)}: build MCP servers, connect clients, in every published revision of the protocol.

The demo server listens at ${strong(url)} (old HTTP+SSE clients: ${origin}/sse).
Paste one of these into another terminal:

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
