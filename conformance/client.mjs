/**
 * The client that the suite starts: `node client.mjs URL`, with the scenario in the environment.
 * See "Client under test" in modelcontextprotocol/conformance.
 */
import { authFor, useProtectedServer } from './auth.mjs';
import { HANDSHAKE, upTo } from './revisions.mjs';

/** @type {typeof import('plumb-mcp/client')} */
const { accept, connect } = await import(new URL('../dist/client/index.js', import.meta.url).href);
/** @type {typeof import('plumb-mcp/protocol')} */
const { McpError } = await import(new URL('../dist/protocol/index.js', import.meta.url).href);

/** @typedef {import('plumb-mcp/client').Client} Client */
/** @typedef {{ toolCalls?: { name: string, arguments: import('plumb-mcp/jsonrpc').JsonObject }[] } & import('./auth.mjs').Credentials} Context */
/** @typedef {(client: Client, context: Context) => Promise<unknown>} Scenario */

const url = process.argv.at(-1) ?? '';
const name = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
/** @type {Context} */
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const newest = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? HANDSHAKE.at(-1) ?? '';
/** As users have it: no revision chosen beforehand. */
const everyRevision = process.env.PLUMB_CONFORMANCE_SPEAKS === 'every revision';

/**
 * The skill is not what its entry says, so nothing more of it is read.
 *
 * @param {Client} client
 */
async function loadSkill(client) {
  const [skill] = await client.skills.list();
  if (skill === undefined) throw new Error('The server lists no skill');
  try {
    const loaded = await client.skills.load(skill);
    await loaded.read('references/FORMS.md');
  } catch (error) {
    if (!(error instanceof McpError) || error.code !== 'skill_mismatch') throw error;
  }
}

/** @type {Record<string, Scenario>} */
const scenarios = {
  // The servers of these two declare nothing, and so have no tools that `client.tools` would ask them for.
  initialize: (client) => client.request('tools/list'),
  'request-metadata': (client) => client.request('tools/list'),
  tools_call: async (client) => {
    await client.tools.list();
    await client.tools.call('add_numbers', { a: 5, b: 3 });
  },
  'elicitation-sep1034-client-defaults': (client) => client.tools.call('test_client_elicitation_defaults'),
  'sse-retry': (client) => client.tools.call('test_reconnection'),
  'http-standard-headers': async (client) => {
    for await (const tool of client.tools) await client.tools.call(tool.name);
    for await (const resource of client.resources) await client.resources.read(resource.uri);
    for await (const prompt of client.prompts) await client.prompts.get(prompt.name);
  },
  'http-custom-headers': async (client, { toolCalls = [] }) => {
    await client.tools.list();
    for (const call of toolCalls) await client.tools.call(call.name, call.arguments);
  },
  'http-invalid-tool-headers': async (client) => {
    for await (const tool of client.tools) await client.tools.call(tool.name, { region: 'us-east1' });
  },
  'sep-2322-client-request-state': async (client) => {
    for (const tool of ['test_mrtr_echo_state', 'test_mrtr_no_state', 'test_mrtr_no_result_type']) {
      await client.tools.call(tool);
    }
  },
  'sep-2640-client-no-prefetch': (client) => client.skills.list(),
  'sep-2640-client-verify-digest': loadSkill,
  'sep-2640-client-verify-size': loadSkill,
  'sep-2640-client-verify-frontmatter': loadSkill,
  'json-schema-ref-no-deref': (client) => client.tools.list(),
  'json-schema-2020-12-preservation': async (client) => {
    const tools = await client.tools.list();
    const schema = tools.find((tool) => tool.name === 'json_schema_2020_12_tool')?.inputSchema;
    await client.tools.call('json_schema_echo', { schema });
  },
};

const scenario = name.startsWith('auth/') ? useProtectedServer : scenarios[name];
if (scenario === undefined) throw new Error(`No scenario "${name}"`);

const client = await connect(url, {
  name: 'plumb-conformance',
  version: '1.0.0',
  revisions: everyRevision ? undefined : upTo(newest),
  auth: authFor(name, context),
  roots: [],
  sample: () => ({ role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'none' }),
  async elicit(_request, { call }) {
    // A call between the rounds of another must not take anything from it.
    if (call?.params.name === 'test_mrtr_echo_state') await client.tools.call('test_mrtr_unrelated');
    return accept(call?.params.name?.toString().startsWith('test_mrtr') ? { confirmed: true } : {});
  },
});
try {
  await scenario(client, context);
} finally {
  await client.close();
}
