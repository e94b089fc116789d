import { createDemoServer } from '../demo/server.js';
import { EXIT_OK } from '../failure.js';
import { checkRevisions } from '../revisions.js';

export interface DemoFlags {
  readonly stdio?: boolean;
  readonly revisions?: readonly string[];
  readonly tools?: number;
  readonly pageSize?: number;
}

export async function demo(flags: DemoFlags): Promise<number> {
  const server = createDemoServer({
    revisions: checkRevisions('--revisions', flags.revisions),
    extraTools: flags.tools,
    pageSize: flags.pageSize,
  });
  if (process.stdin.isTTY) {
    process.stderr.write(
      'The demo server speaks MCP on stdin and stdout. Try: plumb list -- plumb demo --stdio\n',
    );
  }
  await server.stdio();
  return EXIT_OK;
}
