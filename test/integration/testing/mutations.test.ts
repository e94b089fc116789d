/** Generated tests turn red when a server is broken: the mutations of the validator's test bed on what servers offer. */

import { connect } from 'plumb-mcp/client';
import { generateSuite, parseSuite, runSuite } from 'plumb-mcp/testing';
import { expect, test } from 'vitest';
import type { TransportSource } from '../../../src/client/target.js';
import { decodeText } from '../../../src/jsonrpc/decode.js';
import { encodeMessage } from '../../../src/jsonrpc/encode.js';
import { REVISIONS, type Revision } from '../../../src/protocol/revisions/index.js';
import { ScriptedResponder } from '../../../src/testing/run/answer-script.js';
import type { Suite } from '../../../src/testing/suite/definition.js';
import { requirement } from '../../../src/validate/requirements/index.js';
import { pipeTarget } from '../../../src/validate/target.js';
import type { OpenPipe } from '../../../src/validate/wire/line-pipe.js';
import { sourcePipe } from '../../../src/validate/wire/source-pipe.js';
import { type Mutation, mutatedPipe } from '../validate/mutations/harness.js';
import { RESOURCES } from '../validate/mutations/resources.js';
import { TOOLS } from '../validate/mutations/tools.js';

const MUTATIONS: readonly Mutation[] = [...TOOLS, ...RESOURCES];
const PARALLEL = 12;

/** The lines of a broken server as something to connect to. */
function sourceOf(open: OpenPipe): TransportSource {
  return {
    transport: () => {
      let pipe: Awaited<ReturnType<OpenPipe>> | undefined;
      let isOpen = true;
      return {
        label: 'a broken server',
        start: async (receiver) => {
          const closed = (): void => {
            if (isOpen) receiver.closed({ kind: 'remote' });
            isOpen = false;
          };
          pipe = await open({
            line: (text) => {
              const decoded = decodeText(text);
              // Answers cross a wire: they never arrive within the call that sends the request.
              queueMicrotask(() => isOpen && receiver.message(decoded, text));
            },
            stderr: () => {},
            ended: closed,
          });
        },
        send: (message) => pipe?.write(`${typeof message === 'string' ? message : encodeMessage(message)}\n`),
        close: async () => {
          isOpen = false;
          await pipe?.close();
        },
      };
    },
  };
}

async function generate(revision: Revision): Promise<Suite> {
  const source = sourceOf(mutatedPipe({}));
  const responder = new ScriptedResponder({ elicit: ['accept'], sample: ['Yes.'], roots: [] });
  const client = await connect(source, {
    revisions: [revision.version],
    cache: false,
    ...responder.handlers(),
  });
  try {
    const { content } = await generateSuite(client, {
      depth: 'standard',
      edges: true,
      negatives: false,
      snapshots: false,
      timeout: 2_000,
      probe: pipeTarget('reference', sourcePipe(source)),
      server: source,
    });
    return parseSuite({ content });
  } finally {
    await client.close();
  }
}

/** Of the requirement that is broken, and cheap ones that make the server talk: the rest of the section is the same. */
const PROVOKING = ['009', '103', '122', '123', '139'];

async function isRed(
  suite: Suite,
  mutation: Mutation,
  revision: Revision,
): Promise<'calls' | 'protocol' | undefined> {
  const source = sourceOf(mutatedPipe(mutation));
  const servers = [{ name: 'server', reach: { kind: 'object', source } as const }];
  const run = async (changed: Suite): Promise<boolean> => {
    const { failed } = await runSuite(
      { ...changed, servers },
      { settings: { revisions: [revision.version], timeout: 1_200 }, connectTimeout: 3_000 },
    );
    return failed > 0;
  };
  if (await run({ ...suite, protocol: undefined })) return 'calls';
  const { protocol } = suite;
  if (protocol === undefined || protocol.except.has(mutation.id)) return undefined;
  const only = [mutation.id, ...PROVOKING];
  return (await run({ ...suite, cases: [], protocol: { ...protocol, only } })) ? 'protocol' : undefined;
}

test('at least 95 % of the mutations on tools, resources and prompts turn generated tests red', {
  timeout: 300_000,
}, async () => {
  const suites = new Map<Revision, Suite>();
  for (const revision of REVISIONS) {
    const suite = await generate(revision);
    suites.set(revision, suite);
    const { failed, results } = await runSuite(suite, { settings: { revisions: [revision.version] } });
    expect(
      results.filter(({ status }) => status === 'fail').map(({ name, message }) => [name, message]),
    ).toEqual([]);
    expect(failed).toBe(0);
  }
  const queue = [...MUTATIONS];
  const found: { mutation: Mutation; by: 'calls' | 'protocol' | undefined }[] = [];
  const worker = async (): Promise<void> => {
    for (let mutation = queue.shift(); mutation !== undefined; mutation = queue.shift()) {
      const revisions = requirement(mutation.id).revisions;
      const revision = mutation.revision === undefined ? revisions.at(-1) : REVISIONS[mutation.revision - 1];
      const suite = revision === undefined ? undefined : suites.get(revision);
      if (revision === undefined || suite === undefined) throw new Error(`no revision for ${mutation.id}`);
      found.push({ mutation, by: await isRed(suite, mutation, revision) });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  const missed = found
    .filter(({ by }) => by === undefined)
    .map(({ mutation }) => `${mutation.id} ${mutation.name}`);
  const byCalls = found.filter(({ by }) => by === 'calls').length;
  process.stderr.write(`${found.length} mutations, ${byCalls} by calls, missed: ${JSON.stringify(missed)}\n`);
  expect(found.length).toBeGreaterThan(70);
  expect(missed.length).toBeLessThanOrEqual(Math.floor(found.length * 0.05));
});
