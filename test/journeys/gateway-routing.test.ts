/** Journey 2: what belongs to a call reaches the right server and the right client through a gateway. */

import { expect, test } from 'vitest';
import { eventually } from './support/eventually.js';
import { fromMcpJson } from './support/gateways.js';
import { type Answers, openOfficial, sdks } from './support/official-clients.js';
import { PLUMB } from './support/plumb.js';
import { environment, mcpJson, realServers } from './support/servers.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();
const servers = realServers(workspace).filter(({ name }) => ['everything', 'memory', 'fast'].includes(name));
const ANSWERS: Answers = {
  elicitation: { name: 'Ada', check: true, firstLine: 'a line' },
  sampling: 'the model said so',
  roots: ['file:///journey'],
};

test.for(sdks.flatMap((sdk) => [[sdk, 'http'] as const, [sdk, 'stdio'] as const]))(
  'the client of SDK %s over %s gets what belongs to its calls',
  async ([sdk, transport], context) => {
    const stdio = {
      command: process.execPath,
      args: [PLUMB, 'chain', '--mcp', workspace.write(`${sdk} stdio.json`, mcpJson(servers))],
      env: environment(workspace),
      cwd: workspace.folder,
    };
    const target =
      transport === 'stdio'
        ? stdio
        : (await fromMcpJson(context, workspace, mcpJson(servers).mcpServers)).url;
    const client = await openOfficial(sdk, target, ANSWERS);
    context.onTestFinished(() => client.close());

    const operation = {
      name: 'everything__trigger-long-running-operation',
      arguments: { duration: 0.6, steps: 3 },
    };
    await client.callTool(operation, () => undefined);
    expect(client.heard.progress).toEqual([1, 2, 3]);

    expect(await client.readResource('weather://Bern')).toMatchObject({
      contents: [{ text: 'sun in Bern' }],
    });
    expect(await client.readResource('demo://resource/dynamic/text/1')).toMatchObject({
      contents: [{ uri: 'demo://resource/dynamic/text/1' }],
    });
    expect(await client.getPrompt('fast__greet', { city: 'Bern' })).toMatchObject({
      messages: [{ content: { text: 'Hello Bern' } }],
    });
    const ofPrompt = await client.complete({
      ref: { type: 'ref/prompt', name: 'fast__greet' },
      argument: { name: 'city', value: 'B' },
    });
    expect(ofPrompt.completion.values).toEqual(['Basel', 'Bern', 'Biel']);
    const ofTemplate = await client.complete({
      ref: { type: 'ref/resource', uri: 'weather://{city}' },
      argument: { name: 'city', value: 'Be' },
    });
    expect(ofTemplate.completion.values).toEqual(['Bern']);

    const elicited = await client.callTool({
      name: 'everything__trigger-elicitation-request',
      arguments: {},
    });
    expect(JSON.stringify(elicited)).toContain('Ada');
    const asked = { prompt: 'Say it', maxTokens: 10 };
    const sampled = await client.callTool({ name: 'everything__trigger-sampling-request', arguments: asked });
    expect(JSON.stringify(sampled)).toContain('the model said so');
    const roots = await client.callTool({ name: 'everything__get-roots-list', arguments: {} });
    expect(JSON.stringify(roots)).toContain('file:///journey');

    const unsubscribe = await client.subscribe('memory://knowledge-graph');
    const entity = { name: `${sdk} ${transport}`, entityType: 'client', observations: [] };
    await client.callTool({ name: 'memory__create_entities', arguments: { entities: [entity] } });
    await eventually(() => expect(client.heard.updated).toContain('memory://knowledge-graph'));
    await unsubscribe();
  },
);
