/** Journey 2: one gateway for all servers, from a client's configuration, from YAML and from code. */

import { beforeAll, expect, test } from 'vitest';
import {
  ANSWERS,
  type Baseline,
  baselines,
  callAnswer,
  promptAnswer,
  readAnswer,
} from './support/baseline.js';
import { eventually } from './support/eventually.js';
import { fromCode, fromMcpJson, fromYaml, type StartGateway } from './support/gateways.js';
import { type OfficialClient, openOfficial, type SdkName } from './support/official-clients.js';
import { mcpJson, realServers } from './support/servers.js';
import { createWorkspace } from './support/workspace.js';

/** What every model provider accepts as the name of a tool. */
const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;

const workspace = createWorkspace();
const servers = realServers(workspace);
let direct: readonly Baseline[];

beforeAll(async () => {
  direct = await baselines(servers);
});

const WAYS: readonly [string, SdkName, StartGateway][] = [
  ['plumb chain --mcp', 'v1', fromMcpJson],
  ['plumb chain with YAML', 'v2', fromYaml],
  ['a program with plumb-mcp/chain', 'v2 stateless', fromCode],
];

test.for(WAYS)('%s serves every server to the client of SDK %s', async ([_, sdk, start], context) => {
  const { url } = await start(context, workspace, mcpJson(servers).mcpServers);
  const client = await openOfficial(sdk, url, ANSWERS);
  context.onTestFinished(() => client.close());
  await expectAll(client);
});

async function expectAll(client: OfficialClient): Promise<void> {
  // A server that starts slowly joins later; on a busy machine any of them may.
  const tools = await eventually(async () => {
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect([...names].sort()).toEqual(qualified('tools'));
    return names;
  });
  expect(tools.filter((name) => !LEGAL.test(name))).toEqual([]);
  const prompts = (await client.listPrompts()).prompts.map(({ name }) => name);
  expect([...prompts].sort()).toEqual(qualified('prompts'));
  const resources = (await client.listResources()).resources.map(({ uri }) => uri);
  expect([...resources].sort()).toEqual(direct.flatMap(({ resources }) => [...resources.keys()]).sort());
  const templates = (await client.listResourceTemplates()).resourceTemplates;
  expect(templates.map(({ uriTemplate }) => uriTemplate).sort()).toEqual(
    direct.flatMap(({ templates }) => templates).sort(),
  );
  for (const { server, ...expected } of direct) {
    for (const [tool, answer] of expected.tools) {
      const name = `${server.name}__${tool}`;
      expect([name, await callAnswer(client, server, tool, name)]).toEqual([name, answer]);
    }
    for (const [prompt, answer] of expected.prompts) {
      const name = `${server.name}__${prompt}`;
      expect([name, await promptAnswer(client, name)]).toEqual([name, answer]);
    }
    for (const [uri, answer] of expected.resources) {
      expect([uri, await readAnswer(client, uri)]).toEqual([uri, answer]);
    }
  }
}

function qualified(kind: 'tools' | 'prompts'): string[] {
  return direct
    .flatMap(({ server, [kind]: answers }) => [...answers.keys()].map((name) => `${server.name}__${name}`))
    .sort();
}
