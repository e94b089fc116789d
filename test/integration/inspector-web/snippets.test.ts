/** What the page copies works where it is pasted. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import type { InspectedCatalogue, ServerView } from '../../../src/inspector/api.js';
import { asCurl, asPlumbCall, asTypeScript } from '../../../src/inspector/web/panels/tools/snippets.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';

type Tool = InspectedCatalogue['tools']['items'][number];

const run = promisify(execFile);
/** Inside the repository the package finds itself by its name. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const ARGUMENTS = { message: `it's "quoted" $HOME \`x\`\nand more` };
const ECHO: Tool = {
  name: 'echo',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } } },
};

const demo = createDemoServer();
let url: string;

beforeAll(async () => {
  ({ url } = await demo.http({ port: 0 }));
});
afterAll(() => demo.close({ drain: 0 }));

function server(revision: string, era: 'handshake' | 'stateless'): ServerView {
  return {
    id: 'one',
    name: 'One',
    address: { kind: 'url', url, headers: {} },
    source: { kind: 'page' },
    state: 'ready',
    retries: 0,
    history: [],
    pinned: null,
    settings: {},
    session: { revision, era, transport: 'http', capabilities: {} },
    health: { waiting: 0, strays: { late: 0, duplicate: 0, unknown: 0, malformed: 0 }, faults: [] },
    subscriptions: [],
    logLevel: null,
    roots: { roots: [], ask: false },
  };
}

/** In a shell, as a person would: `plumb` is the built command. */
async function shell(script: string): Promise<string> {
  const { stdout } = await run('sh', ['-c', `plumb() { "${process.execPath}" "${MAIN}" "$@"; }\n${script}`]);
  return stdout;
}

it('plumb call gets the arguments as they were', { timeout: 60_000 }, async () => {
  const view = server('2026-07-28', 'stateless');
  expect(await shell(asPlumbCall(view, 'echo', ARGUMENTS))).toContain(ARGUMENTS.message);
  const described = await shell(
    asPlumbCall(view, 'describe', { integer: 3, tags: ['a', 'b c'], place: { city: 'Rome' } }),
  );
  for (const part of ['3', 'b c', 'Rome']) expect(described).toContain(part);
});

// The oldest revision has no Streamable HTTP.
describe.each(REVISIONS.slice(1).map(({ version, lifecycle }) => [version, lifecycle] as const))(
  'curl in %s',
  (version, era) => {
    it('calls the tool', { timeout: 60_000 }, async () => {
      const script = asCurl(server(version, era), ECHO, ARGUMENTS) ?? '';
      const answer = await shell(script);
      expect(answer).toContain(JSON.stringify(ARGUMENTS.message));
    });
  },
);

it('TypeScript connects, calls and closes', { timeout: 60_000 }, async () => {
  const view = { ...server('2025-11-25', 'handshake'), pinned: '2025-11-25' };
  const script = asTypeScript(view, 'echo', ARGUMENTS);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT });
  expect(stdout).toContain('and more');
  expect(stdout).toContain('$HOME');
});
