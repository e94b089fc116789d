/**
 * `npm run matrix`: every client in front of every server with a chain between them, and the outcome as a table in
 * docs/compatibility.md. Clients: ours in each revision, the official SDKs v1 and v2. Servers: our demo in each
 * revision over stdio, the official SDKs v1 and v2. The clients reach the chain over HTTP.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { endWithParent, root } from './run.mjs';

endWithParent();
const built = await build();
if (!built.ok) {
  process.stderr.write(built.output);
  process.exit(1);
}

/** @param {string} file */
const ours = (file) => import(pathToFileURL(join(root, 'dist', file)).href);
const { chain } = await ours('chain/index.js');
const { connect } = await ours('client/index.js');
const { REVISIONS } = await ours('protocol/index.js');

/**
 * What all clients can do here, whoever made them.
 * @typedef {object} Peer
 * @property {() => Promise<any[]>} tools
 * @property {(name: string, args?: object, onProgress?: (progress: any) => void, signal?: AbortSignal) => Promise<any>} call
 * @property {() => Promise<any[]>} resources
 * @property {(uri: string) => Promise<any>} read
 * @property {(name: string, args: object) => Promise<any>} prompt
 * @property {(ref: any, argument: any) => Promise<any>} complete
 * @property {(heard: () => void) => Promise<void>} onToolsChanged
 * @property {(uri: string, heard: () => void) => Promise<void>} subscribe
 * @property {(heard: () => void) => Promise<void>} onLog
 * @property {() => Promise<unknown>} close
 */

const ANSWER = { action: 'accept', content: { name: 'Ada', username: 'ada', email: 'a@b.c' } };
const SAMPLE = {
  role: 'assistant',
  content: { type: 'text', text: 'Paris' },
  model: 'm',
  stopReason: 'endTurn',
};
const ROOTS = [{ uri: 'file:///here', name: 'here' }];

/** @param {string} url @param {string} revision @returns {Promise<Peer>} */
async function plumbClient(url, revision) {
  const client = await connect(url, {
    revisions: [revision],
    elicit: () => ANSWER,
    sample: () => SAMPLE,
    roots: ROOTS,
    cache: false,
  });
  return {
    tools: () => client.tools.list(),
    call: (name, args = {}, onProgress, signal) => client.tools.call(name, args, { onProgress, signal }),
    resources: () => client.resources.list(),
    read: (uri) => client.resources.read(uri),
    prompt: (name, args) => client.prompts.get(name, args),
    complete: (ref, argument) => client.completion.complete(ref, argument),
    onToolsChanged: async (heard) => void client.on('toolsChanged', heard),
    subscribe: async (uri, heard) => void (await client.resources.subscribe(uri, heard)),
    onLog: async (heard) => {
      client.on('log', heard);
      await client.logging.setLevel('debug');
    },
    close: () => client.close(),
  };
}

/** @param {string} url @returns {Promise<Peer>} */
async function sdkV1Client(url) {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/sdk/client/streamableHttp.js'
  );
  const types = await import('@modelcontextprotocol/sdk/types.js');
  const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: {} };
  const client = new Client({ name: 'sdk-v1', version: '1' }, { capabilities });
  client.setRequestHandler(types.ElicitRequestSchema, () => /** @type {any} */ (ANSWER));
  client.setRequestHandler(types.CreateMessageRequestSchema, () => /** @type {any} */ (SAMPLE));
  client.setRequestHandler(types.ListRootsRequestSchema, () => ({ roots: ROOTS }));
  await client.connect(/** @type {any} */ (new StreamableHTTPClientTransport(new URL(url))));
  return sdkPeer(client, types);
}

/** @param {string} url @param {any} negotiation @returns {Promise<Peer>} */
async function sdkV2Client(url, negotiation) {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } };
  const client = new Client({ name: 'sdk-v2', version: '2' }, { capabilities, ...negotiation });
  client.setRequestHandler('elicitation/create', () => /** @type {any} */ (ANSWER));
  client.setRequestHandler('sampling/createMessage', () => /** @type {any} */ (SAMPLE));
  client.setRequestHandler('roots/list', () => ({ roots: ROOTS }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return sdkPeer(client, undefined);
}

/** @param {any} client @param {any} types of v1; v2 goes by names @returns {Peer} */
function sdkPeer(client, types) {
  /** @param {string} name @param {any} schema @param {() => void} heard */
  const onNotification = (name, schema, heard) => client.setNotificationHandler(types ? schema : name, heard);
  return {
    tools: async () => (await client.listTools()).tools,
    call: (name, args = {}, onprogress, signal) =>
      types
        ? client.callTool({ name, arguments: args }, undefined, { onprogress, signal })
        : client.callTool({ name, arguments: args }, { onprogress, signal }),
    resources: async () => (await client.listResources()).resources,
    read: (uri) => client.readResource({ uri }),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: (ref, argument) => client.complete({ ref, argument }),
    onToolsChanged: async (heard) =>
      onNotification('notifications/tools/list_changed', types?.ToolListChangedNotificationSchema, heard),
    subscribe: async (uri, heard) => {
      onNotification('notifications/resources/updated', types?.ResourceUpdatedNotificationSchema, heard);
      await client.subscribeResource({ uri });
    },
    onLog: async (heard) => {
      onNotification('notifications/message', types?.LoggingMessageNotificationSchema, heard);
      await client.setLoggingLevel('debug');
    },
    close: () => client.close(),
  };
}

/** @param {() => boolean} condition */
async function until(condition) {
  for (let wait = 0; wait < 40 && !condition(); wait += 1) await new Promise((done) => setTimeout(done, 50));
  if (!condition()) throw new Error('nothing was heard');
}

/** @param {boolean} condition @param {string} what */
function check(condition, what) {
  if (!condition) throw new Error(what);
}

/** @param {any} result */
const textOf = (result) => JSON.stringify(result.content ?? result);

/** @typedef {{ demo: boolean, asks: ReadonlySet<string>, elicits: boolean }} Facts */

/** What is tried in each cell. @type {Record<string, (peer: Peer, facts: Facts) => Promise<void> | undefined>} */
const FEATURES = {
  tools: async (peer) => {
    check(
      (await peer.tools()).some((tool) => tool.name === 'add'),
      'the tool is not listed',
    );
    check(/5/.test(textOf(await peer.call('add', { a: 2, b: 3 }))), 'the sum is wrong');
  },
  resources: async (peer, { demo }) => {
    const uri = demo ? 'demo://note' : 'test://fixed';
    check((await peer.resources()).length > 0, 'no resources');
    check(Array.isArray((await peer.read(uri)).contents), 'nothing was read');
  },
  prompts: async (peer, { demo }) => {
    const prompt = demo ? peer.prompt('review', { code: 'x' }) : peer.prompt('greet', { name: 'Ada' });
    check((await prompt).messages.length > 0, 'no messages');
  },
  errors: async (peer) => {
    const outcome = await peer.call('no_such_tool').then(
      (result) => result.isError === true,
      (error) => /no_such_tool/.test(String(error)),
    );
    check(outcome, 'an unknown tool went unnoticed');
  },
  completion: (peer, { demo }) =>
    demo
      ? peer
          .complete({ type: 'ref/prompt', name: 'review' }, { name: 'language', value: 'ty' })
          .then(({ completion }) => check(completion.values.includes('typescript'), 'no suggestion'))
      : undefined,
  progress: (peer, { demo }) => {
    if (!demo) return undefined;
    let steps = 0;
    const heard = () => {
      steps += 1;
    };
    return peer.call('test_tool_with_progress', {}, heard).then(() => until(() => steps > 0));
  },
  cancellation: (peer, { demo }) => {
    if (!demo) return undefined;
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    return peer.call('wait', { seconds: 20 }, undefined, controller.signal).then(
      () => check(false, 'it was not cancelled'),
      () => undefined,
    );
  },
  logging: (peer, { demo }) => {
    if (!demo) return undefined;
    let heard = 0;
    const hear = () => {
      heard += 1;
    };
    return peer.onLog(hear).then(async () => {
      await peer.call('test_tool_with_logging');
      await until(() => heard > 0);
    });
  },
  subscriptions: (peer, { demo }) => {
    if (!demo) return undefined;
    let heard = false;
    const hear = () => {
      heard = true;
    };
    return peer.subscribe('demo://note', hear).then(async () => {
      await peer.call('write_note', { text: 'noted' });
      await until(() => heard);
    });
  },
  'list changes': (peer, { demo }) => {
    if (!demo) return undefined;
    let heard = false;
    const hear = () => {
      heard = true;
    };
    return peer.onToolsChanged(hear).then(async () => {
      await peer.call('test_trigger_tool_change');
      await until(() => heard);
    });
  },
  elicitation: (peer, { demo, elicits, asks }) => {
    if (!elicits || !(demo || asks.has('ask'))) return undefined;
    return peer.call(demo ? 'test_elicitation' : 'ask', demo ? { message: 'Who?' } : {}).then((result) => {
      check(/ada/i.test(textOf(result)), 'the answer did not arrive');
    });
  },
  sampling: (peer, { demo, asks }) => {
    if (!(demo || asks.has('model'))) return undefined;
    return peer.call(demo ? 'test_sampling' : 'model', demo ? { prompt: 'capital?' } : {}).then((result) => {
      check(demo ? /Paris/.test(textOf(result)) : /"m"/.test(textOf(result)), 'the answer did not arrive');
    });
  },
  roots: (peer, { demo }) =>
    demo
      ? peer.call('ask_roots').then((result) => check(/here/.test(textOf(result)), 'no roots'))
      : undefined,
};

const main = join(root, 'dist', 'cli', 'main.js');
const fixture = (/** @type {string} */ name) => join(root, 'test', 'interop', 'fixtures', name);
const elicitation = new Map(
  REVISIONS.map((/** @type {any} */ { version, elicitation }) => [version, elicitation !== 'none']),
);

/** @type {{ name: string, args: string[], demo: boolean, elicits: boolean, asks: ReadonlySet<string> }[]} */
const SERVERS = [
  ...REVISIONS.map((/** @type {any} */ { version }) => ({
    name: `demo ${version}`,
    args: [main, 'demo', '--stdio', '--revisions', version],
    demo: true,
    elicits: elicitation.get(version),
    asks: new Set(),
  })),
  {
    name: 'SDK v1',
    args: [fixture('sdk-v1-server.mjs')],
    demo: false,
    elicits: true,
    asks: new Set(['ask', 'model']),
  },
  { name: 'SDK v2', args: [fixture('sdk-v2-server.mjs')], demo: false, elicits: true, asks: new Set() },
];

/** @type {{ name: string, elicits: boolean, open: (url: string) => Promise<Peer>, lacks?: string[] }[]} */
const CLIENTS = [
  ...REVISIONS.map((/** @type {any} */ { version }) => ({
    name: `Plumb ${version}`,
    elicits: elicitation.get(version),
    open: (/** @type {string} */ url) => plumbClient(url, version),
  })),
  { name: 'SDK v1', elicits: true, open: sdkV1Client },
  { name: 'SDK v2, handshake', elicits: true, open: (url) => sdkV2Client(url, {}) },
  {
    name: 'SDK v2, stateless',
    elicits: true,
    open: (url) => sdkV2Client(url, { versionNegotiation: { mode: 'auto' } }),
    // Its client has other methods for these, which this script does not know.
    lacks: ['subscriptions', 'list changes', 'logging'],
  },
];

/** @type {string[]} */
const failures = [];
/** @type {string[]} */
const rows = [];
for (const client of CLIENTS) {
  const cells = [];
  for (const server of SERVERS) {
    const front = chain({ onError: () => {} }).to({
      server: { command: process.execPath, args: server.args, isolate: 'session' },
    });
    const { url } = await front.http();
    let passed = 0;
    let tried = 0;
    const facts = { ...server, elicits: server.elicits && client.elicits };
    const peer = await client
      .open(url)
      .catch((error) => failures.push(`${client.name}, ${server.name}: ${error}`));
    if (typeof peer === 'object') {
      for (const [feature, attempt] of Object.entries(FEATURES)) {
        if (client.lacks?.includes(feature)) continue;
        try {
          const running = attempt(peer, facts);
          if (running === undefined) continue;
          tried += 1;
          await running;
          passed += 1;
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          failures.push(`${client.name} to ${server.name}, ${feature}: ${why.split('\n')[0]}`);
        }
      }
      await peer.close();
    }
    await front.close(0);
    cells.push(tried === 0 ? 'no connection' : passed === tried ? `all ${tried}` : `${passed} of ${tried}`);
    process.stdout.write(`${client.name} -> ${server.name}: ${cells.at(-1)}\n`);
  }
  rows.push(`| ${client.name} | ${cells.join(' | ')} |`);
}

const page = `# Compatibility

Written by \`npm run matrix\`: each client (rows) in front of each server (columns), with a chain between them. The client
reaches the chain over HTTP, the chain its server over stdio. A cell says how many of the features that both sides have
work: ${Object.keys(FEATURES).join(', ')}.

| client | ${SERVERS.map(({ name }) => name).join(' | ')} |
|---|${SERVERS.map(() => '---').join('|')}|
${rows.join('\n')}

${failures.length === 0 ? 'Nothing failed.' : `What failed:\n\n${failures.map((failure) => `- ${failure}`).join('\n')}`}

Elicitation is tried where both revisions have it. \`test/chain/bridge.test.ts\` tries every pair of revisions over memory,
and those in which the eras meet over stdio, HTTP and the old HTTP+SSE on either side.
`;
writeFileSync(join(root, 'docs', 'compatibility.md'), page);
process.exitCode = failures.length === 0 ? 0 : 1;
