/** What a client of ours does with the server of this folder, in one revision. Runs on every runtime. */
import { connect, textOf } from 'plumb-mcp/client';

/** @typedef {import('./revisions.mjs').TestedRevision} TestedRevision */
/** @typedef {import('plumb-mcp/client').Client} Client */

const LIMIT_MS = 20_000;

/**
 * Each returns normally when the behaviour is as it should be.
 *
 * @type {Record<string, (client: Client, revision: TestedRevision) => Promise<void>>}
 */
const BEHAVIOURS = {
  'tools: list and call': async (client) => {
    const tools = await client.tools.list();
    equal(tools.length, 9, 'tools');
    equal(textOf(await client.tools.call('search', { code: 'AB1' })), '1 x AB1', 'the answer');
  },
  'structured results': async (client, { structured }) => {
    const result = await client.tools.call('add', { a: 1, b: 2 });
    equal(
      JSON.stringify(result.structuredContent),
      structured ? '{"sum":3}' : undefined,
      'the structured result',
    );
    equal(textOf(result), '{"sum":3}', 'the text');
  },
  errors: async (client) => {
    const failed = await client.tools.call('fail', {});
    equal(failed.isError, true, 'isError');
    equal(textOf(failed), 'out of stock', 'the text');
    const malformed = await settled(client.tools.call('search', { code: 'no' }));
    if (!malformed.includes('code')) throw new Error(`A wrong argument was answered with: ${malformed}`);
    const unknown = await settled(client.tools.call('nowhere', {}));
    if (!unknown.includes('nowhere')) throw new Error(`An unknown tool was answered with: ${unknown}`);
  },
  progress: async (client) => {
    /** @type {number[]} */
    const seen = [];
    await client.tools.call('count', {}, { onProgress: ({ progress }) => seen.push(progress) });
    equal(seen.join(), '1,2,3', 'progress');
  },
  elicitation: async (client, { elicitation, version }) => {
    const answer = await settled(client.tools.call('greet', {}));
    const expected = elicitation
      ? 'Hello Ada'
      : `elicitation/create does not exist in protocol revision ${version}`;
    if (!answer.includes(expected)) throw new Error(`greet answered: ${answer}`);
  },
  sampling: async (client) => {
    const answer = await settled(client.tools.call('think', {}));
    if (!answer.includes('a model')) throw new Error(`think answered: ${answer}`);
  },
  resources: async (client) => {
    const { contents } = await client.resources.read('note://by/ada');
    equal(JSON.stringify(contents).includes('by ada'), true, 'the contents are read');
    equal((await client.resources.list()).length, 1, 'resources');
  },
  subscriptions: async (client) => {
    /** @type {(uri: string) => void} */
    let heard = () => undefined;
    const updated = new Promise((resolve) => {
      heard = resolve;
    });
    const subscription = await client.resources.subscribe('note://one', ({ uri }) => heard(uri));
    // Over HTTP with sessions the client opens its stream in its own time.
    let done = false;
    void updated.then(() => {
      done = true;
    });
    while (!done) {
      await client.tools.call('touch', {});
      await Promise.race([updated, client.tools.call('cancelled', {})]);
    }
    equal(await updated, 'note://one', 'the changed resource');
    await subscription.close();
  },
  prompts: async (client) => {
    const { messages } = await client.prompts.get('review', { tone: 'kind' });
    equal(JSON.stringify(messages).includes('a kind review'), true, 'the prompt is filled in');
  },
  completion: async (client) => {
    const { completion } = await client.completion.complete(
      { type: 'ref/resource', uri: 'note://by/{author}' },
      { name: 'author', value: 'al' },
    );
    equal(completion.values.join(), 'alan', 'completions');
  },
  cancellation: async (client) => {
    const before = textOf(await client.tools.call('cancelled', {}));
    const controller = new AbortController();
    const failure = await settled(
      client.tools.call(
        'wait',
        {},
        {
          signal: controller.signal,
          onProgress: () => controller.abort(new Error('no longer wanted')),
        },
      ),
    );
    if (!failure.includes('no longer wanted')) throw new Error(`The cancelled call ended with: ${failure}`);
    // The handler learns of it, however the transport carries that.
    while (textOf(await client.tools.call('cancelled', {})) === before);
  },
};

export const BEHAVIOUR_NAMES = Object.keys(BEHAVIOURS);

/**
 * @param {import('plumb-mcp/client').Target} target
 * @param {TestedRevision} revision
 * @returns {Promise<Record<string, string>>} `ok` or what went wrong, by behaviour
 */
export async function runBehaviours(target, revision) {
  /** @type {Record<string, string>} */
  const outcome = {};
  /** @type {Client} */
  let client;
  try {
    client = await within(
      connect(target, {
        revisions: [revision.version],
        elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
        sample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'a model' } }),
      }),
      'connect',
    );
  } catch (error) {
    return Object.fromEntries(
      BEHAVIOUR_NAMES.map((name) => [name, `does not connect: ${textOfError(error)}`]),
    );
  }
  try {
    for (const [name, run] of Object.entries(BEHAVIOURS)) {
      outcome[name] = await within(run(client, revision), name).then(() => 'ok', textOfError);
    }
    if (client.revision !== revision.version) outcome['tools: list and call'] = `speaks ${client.revision}`;
  } finally {
    await within(client.close(), 'close').catch(() => undefined);
  }
  return outcome;
}

/**
 * A server that others wrote.
 *
 * @param {import('plumb-mcp/client').Target} target
 * @returns {Promise<string>}
 */
export async function useOfficialServer(target) {
  try {
    const client = await within(connect(target), 'connect');
    const tools = await within(client.tools.list(), 'tools/list');
    const answer = textOf(await within(client.tools.call('echo', { message: 'hello' }), 'tools/call'));
    await within(client.close(), 'close');
    if (!tools.some(({ name }) => name === 'echo') || !answer.includes('hello'))
      return `echo answered: ${answer}`;
    return 'ok';
  } catch (error) {
    return textOfError(error);
  }
}

/**
 * @template T
 * @param {Promise<T>} work
 * @param {string} name
 * @returns {Promise<T>}
 */
async function within(work, name) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} took longer than ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  try {
    return await /** @type {Promise<T>} */ (Promise.race([work, late]));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The text of an answer, or of the error in its place.
 *
 * @param {Promise<import('plumb-mcp/protocol').CallToolResult>} call
 */
async function settled(call) {
  return call.then((result) => textOf(result), textOfError);
}

/** @param {unknown} error */
export function textOfError(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {unknown} actual
 * @param {unknown} expected
 * @param {string} what
 */
function equal(actual, expected, what) {
  if (actual !== expected) throw new Error(`${what}: ${String(actual)} instead of ${String(expected)}`);
}
