/** What servers answer directly, to compare with what comes through a gateway. */

import { inTurn } from './in-turn.js';
import { type Answers, type OfficialClient, openOfficial } from './official-clients.js';
import type { RealServer } from './servers.js';
import { outcome } from './snapshot.js';

/** Some servers show tools only to clients that can answer them. */
export const ANSWERS: Answers = {
  elicitation: { name: 'Ada' },
  sampling: 'sampled',
  roots: ['file:///journey'],
};

/** Answers by name, as text. */
type AnswersByName = ReadonlyMap<string, string>;

export interface Baseline {
  readonly server: RealServer;
  readonly tools: AnswersByName;
  readonly prompts: AnswersByName;
  readonly resources: AnswersByName;
  readonly templates: readonly string[];
}

export function baselines(servers: readonly RealServer[]): Promise<Baseline[]> {
  return inTurn(servers, 4, async (server) => {
    const client = await openOfficial('v1', server, ANSWERS);
    try {
      return await baseline(client, server);
    } finally {
      await client.close();
    }
  });
}

async function baseline(client: OfficialClient, server: RealServer): Promise<Baseline> {
  const has = (name: string): boolean => name in { ...client.capabilities };
  const tools = (await client.listTools()).tools.map(({ name }) => name);
  const prompts = has('prompts') ? (await client.listPrompts()).prompts.map(({ name }) => name) : [];
  const resources = has('resources') ? (await client.listResources()).resources.map(({ uri }) => uri) : [];
  const { resourceTemplates } = has('resources')
    ? await client.listResourceTemplates().catch(() => ({ resourceTemplates: [] }))
    : { resourceTemplates: [] };
  return {
    server,
    tools: await each(tools, (name) => callAnswer(client, server, name)),
    prompts: await each(prompts, (name) => promptAnswer(client, name)),
    resources: await each(resources, (uri) => readAnswer(client, uri)),
    templates: resourceTemplates.map(({ uriTemplate }) => uriTemplate),
  };
}

async function each(
  names: readonly string[],
  ask: (name: string) => Promise<string>,
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  for (const name of names) answers.set(name, await ask(name));
  return answers;
}

/** The answer of a tool that gets no arguments, or careful ones; most answer what is missing. */
export async function callAnswer(
  client: OfficialClient,
  { careful, unlike, tasks }: RealServer,
  tool: string,
  published: string = tool,
): Promise<string> {
  if (tasks?.includes(tool)) return 'not called';
  const answer = await outcome(client.callTool({ name: published, arguments: careful?.[tool] ?? {} }));
  if (unlike?.includes(tool)) return 'message' in answer ? 'an error' : 'a result';
  return comparable(answer);
}

export async function promptAnswer(client: OfficialClient, published: string): Promise<string> {
  return comparable(await outcome(client.getPrompt(published)));
}

export async function readAnswer(client: OfficialClient, uri: string): Promise<string> {
  return comparable(await outcome(client.readResource(uri)));
}

/** Without what changes from call to call: numbers are times, ports and ids. */
function comparable(answer: object): string {
  // Fields that only results of 2026-07-28 have, and that some servers send to every client.
  const {
    resultType: _,
    _meta,
    ttlMs: _ttl,
    cacheScope: _scope,
    ...rest
  }: Record<string, unknown> = { ...answer };
  // SDK v1 writes this before messages of errors.
  return JSON.stringify(rest)
    .replaceAll(/MCP error -?\d+: /g, '')
    .replaceAll(/\d+/g, '#');
}
