import { selectRevisions } from '../../protocol/index.js';
import { createDemoServer } from '../demo/server.js';
import { UsageError } from '../failure.js';

export interface DemoFlags {
  readonly stdio?: boolean;
  readonly revisions?: readonly string[];
  readonly tools?: number;
  readonly pageSize?: number;
}

export async function demo(flags: DemoFlags): Promise<number> {
  const server = createDemoServer({
    revisions: checkRevisions(flags.revisions),
    extraTools: flags.tools,
    pageSize: flags.pageSize,
  });
  if (process.stdin.isTTY) {
    process.stderr.write('The demo server speaks MCP on stdin and stdout. Try: plumb list -- plumb demo --stdio\n');
  }
  await server.stdio();
  return 0;
}

function checkRevisions(versions: readonly string[] | undefined): readonly string[] | undefined {
  try {
    return versions === undefined ? undefined : selectRevisions(versions).map(({ version }) => version);
  } catch (cause) {
    throw new UsageError(`--revisions: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
