/** The server that the official conformance suite tests, as it is built. */

import { afterEach, describe, expect, it } from 'vitest';
import { createFixtureServer } from '../../../conformance/fixture-server.mjs';
import { connect } from '../../../conformance/plumb.mjs';
import { accept, acceptDefaults, type Client, type ConnectOptions } from '../../../src/client/index.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';

const open: Client[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

async function client(options: ConnectOptions = {}): Promise<Client> {
  const connected = await connect(createFixtureServer(), options);
  open.push(connected);
  return connected;
}

const SAMPLE: ConnectOptions['sample'] = ({ messages }) => ({
  role: 'assistant',
  model: 'test',
  content: { type: 'text', text: `Answer ${messages.length}` },
});

const HANDLERS: ConnectOptions = {
  elicit: (request) => {
    if (request.mode === 'url') return accept();
    const { requestedSchema } = request;
    const required = (requestedSchema.required ?? []).map((name): [string, string | boolean] => {
      return [name, requestedSchema.properties[name]?.type === 'boolean' ? true : 'Bo'];
    });
    return accept({ ...Object.fromEntries(required), ...acceptDefaults(requestedSchema).content });
  },
  sample: SAMPLE,
  roots: [{ uri: 'file:///work', name: 'work' }],
};

const ASKING = REVISIONS.filter(({ asks }) => asks.has('elicitation/create')).map(({ version }) => version);

async function textOf(connected: Client, tool: string): Promise<string> {
  const result = await connected.tools.call(tool);
  return result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join(' ');
}

describe('the fixtures of the conformance suite', () => {
  const TOOLS = [
    'test_simple_text',
    'test_image_content',
    'test_audio_content',
    'test_embedded_resource',
    'test_multiple_content_types',
    'test_error_handling',
    'test_tool_with_progress',
    'test_tool_with_logging',
    'test_sampling',
    'test_elicitation',
    'test_elicitation_sep1034_defaults',
    'test_elicitation_sep1330_enums',
    'test_reconnection',
    'json_schema_2020_12_tool',
    'test_x_mcp_header',
    'test_missing_capability',
    'test_streaming_elicitation',
    'test_logging_tool',
    'test_trigger_tool_change',
    'test_trigger_prompt_change',
    'test_input_required_result_elicitation',
    'test_input_required_result_sampling',
    'test_input_required_result_list_roots',
    'test_input_required_result_request_state',
    'test_input_required_result_multiple_inputs',
    'test_input_required_result_multi_round',
    'test_input_required_result_tampered_state',
    'test_input_required_result_capabilities',
  ];
  const PROMPTS = [
    'test_simple_prompt',
    'test_prompt_with_arguments',
    'test_prompt_with_embedded_resource',
    'test_prompt_with_image',
    'test_input_required_result_prompt',
  ];

  it('are all there', async () => {
    const connected = await client();
    expect((await connected.tools.list()).map(({ name }) => name)).toEqual(expect.arrayContaining(TOOLS));
    expect((await connected.prompts.list()).map(({ name }) => name)).toEqual(expect.arrayContaining(PROMPTS));
    expect((await connected.resources.list()).map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(['test://static-text', 'test://static-binary', 'test://watched-resource']),
    );
    const templates = await connected.resources.templates().list();
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toContain('test://template/{id}/data');
  });

  it('have the content that the suite looks for', async () => {
    const connected = await client();
    const blocks = async (tool: string): Promise<unknown> => (await connected.tools.call(tool)).content;
    expect(await blocks('test_audio_content')).toMatchObject([{ type: 'audio', mimeType: 'audio/wav' }]);
    expect(await blocks('test_multiple_content_types')).toMatchObject([
      { type: 'text' },
      { type: 'image' },
      { type: 'resource' },
    ]);
    expect(await connected.resources.read('test://template/123/data')).toMatchObject({
      contents: [{ mimeType: 'application/json', text: expect.stringContaining('123') }],
    });
    const args = { arg1: 'one', arg2: 'two' };
    const { messages } = await connected.prompts.get('test_prompt_with_arguments', args);
    expect(JSON.stringify(messages)).toMatch(/one.*two/);
  });

  it('show their schemas as the suite wants to see them', async () => {
    const connected = await client();
    const tools = await connected.tools.list();
    const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: { address: { $anchor: 'addressDef' } },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    });
    const header = tools.find(({ name }) => name === 'test_x_mcp_header')?.inputSchema;
    expect(header?.properties?.region).toMatchObject({ type: 'string', 'x-mcp-header': 'Region' });
  });
});

describe.each(ASKING)('questions of the fixtures in %s', (version) => {
  it('come in several rounds, at once, and before a prompt', async () => {
    const connected = await client({ revisions: [version], ...HANDLERS });
    expect(await textOf(connected, 'test_input_required_result_multi_round')).toBe('Bo likes Bo.');
    expect(await textOf(connected, 'test_input_required_result_multiple_inputs')).toBe(
      'Answer 1, Bo: 1 roots.',
    );
    expect(await textOf(connected, 'test_input_required_result_request_state')).toMatch(
      /^state-ok: .*accept$/,
    );
    const { messages } = await connected.prompts.get('test_input_required_result_prompt');
    expect(messages).toMatchObject([{ content: { text: 'Use this context: Bo' } }]);
  });

  it('are only those that the client can answer', async () => {
    const connected = await client({ revisions: [version], sample: SAMPLE });
    expect(await textOf(connected, 'test_input_required_result_capabilities')).toBe(
      'Answered: capital_question.',
    );
  });
});
