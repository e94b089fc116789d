import { PLUMB_VERSION } from '../../protocol/version.js';
import { EXIT_OK } from '../failure.js';
import { createTerminal } from '../output/terminal.js';

/** What `npm start` runs: says what there is and how to try it. */
export async function start(): Promise<number> {
  const out = createTerminal(process.stdout);
  out.write(welcome((text) => out.style('bold', text)));
  return EXIT_OK;
}

function welcome(strong: (text: string) => string): string {
  const plumb = 'node dist/cli/main.js';
  const server = `${plumb} demo --stdio`;
  return `${strong(`Plumb ${PLUMB_VERSION}`)}: build MCP servers, connect clients, in every published revision of the protocol.

Paste one of these:

  ${strong('See what the demo server has')}
    ${plumb} list -- ${server}
  ${strong('Call a tool')}
    ${plumb} call add a=2 b=3 -- ${server}
  ${strong('Answer a question that a tool asks')}
    ${plumb} call book_table guests=4 -- ${server}
  ${strong('Read a resource')}
    ${plumb} read demo://cities/italy/pisa -- ${server}
  ${strong('All commands')}
    ${plumb} --help
`;
}
