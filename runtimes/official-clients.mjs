/** The clients of the official SDKs, on the Node that runs the tests, against the server of this folder. */
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** @typedef {{ command: string, args: string[] }} Command */
/** @typedef {string | Command} OfficialTarget */

const ACCEPTED = { action: /** @type {const} */ ('accept'), content: { name: 'Ada' } };
const SAMPLED = {
  role: /** @type {const} */ ('assistant'),
  model: 'none',
  content: { type: /** @type {const} */ ('text'), text: 'a model' },
};
const CAPABILITIES = { elicitation: {}, sampling: {} };

/**
 * @param {OfficialTarget} target
 * @returns {Promise<Record<string, string>>} `ok` or what went wrong, by client
 */
export async function runOfficialClients(target) {
  return {
    'official client v1': await outcomeOf(() => v1(target)),
    'official client v2, handshake': await outcomeOf(() => v2(target, 'legacy')),
    'official client v2, stateless': await outcomeOf(() => v2(target, 'auto')),
  };
}

/** @param {OfficialTarget} target */
async function v1(target) {
  const client = new ClientV1({ name: 'v1', version: '1' }, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, () => ACCEPTED);
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLED);
  await client.connect(typeof target === 'string' ? new HttpV1(new URL(target)) : new StdioV1(target));
  await use(client, (options) => client.callTool({ name: 'wait', arguments: {} }, undefined, options));
}

/**
 * @param {OfficialTarget} target
 * @param {'auto' | 'legacy'} mode
 */
async function v2(target, mode) {
  const client = new ClientV2(
    { name: 'v2', version: '2' },
    { versionNegotiation: { mode }, capabilities: CAPABILITIES },
  );
  client.setRequestHandler('elicitation/create', () => ACCEPTED);
  client.setRequestHandler('sampling/createMessage', () => SAMPLED);
  await client.connect(typeof target === 'string' ? new HttpV2(new URL(target)) : new StdioV2(target));
  await use(client, (options) => client.callTool({ name: 'wait', arguments: {} }, options));
}

/**
 * @param {ClientV1 | ClientV2} client
 * @param {(options: { onprogress(progress: { progress: number }): void, signal: AbortSignal }) => Promise<unknown>} wait
 */
async function use(client, wait) {
  try {
    expectText('tools/list', await client.listTools(), '"add"');
    expectText('add', await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } }), '{"sum":3}');
    expectText('fail', await client.callTool({ name: 'fail', arguments: {} }), 'out of stock');
    // Cancelled with its first report: the official clients drop progress that they read together with the result.
    const controller = new AbortController();
    const { signal } = controller;
    await wait({ onprogress: () => controller.abort(), signal }).catch((error) => {
      if (!signal.aborted) throw error;
    });
    if (!signal.aborted) throw new Error('No progress arrived');
    expectText('greet', await client.callTool({ name: 'greet', arguments: {} }), 'Hello Ada');
    expectText('think', await client.callTool({ name: 'think', arguments: {} }), 'a model');
    expectText('resources/read', await client.readResource({ uri: 'note://one' }), 'the note');
    expectText(
      'prompts/get',
      await client.getPrompt({ name: 'review', arguments: { tone: 'kind' } }),
      'kind review',
    );
  } finally {
    await client.close();
  }
}

/**
 * @param {string} what
 * @param {unknown} answer
 * @param {string} expected
 */
function expectText(what, answer, expected) {
  const text = JSON.stringify(answer);
  // Structured results stand in the text as JSON inside of JSON.
  if (!text.includes(expected) && !text.includes(JSON.stringify(expected).slice(1, -1)))
    throw new Error(`${what} answered: ${text}`);
}

/** @param {() => Promise<void>} run */
async function outcomeOf(run) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('took longer than 30 s')), 30_000);
  });
  try {
    await Promise.race([run(), late]);
    return 'ok';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
