/** A test file from what a live server offers. */

import type { Client } from '../../client/client.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Duration } from '../../protocol/duration.js';
import type { Prompt } from '../../protocol/model/prompts.js';
import type { Tool } from '../../protocol/model/tools.js';
import { findRevision } from '../../protocol/revisions/index.js';
import { requirement } from '../../validate/requirements/index.js';
import type { ValidationTarget } from '../../validate/target.js';
import { validateServer } from '../../validate/validate.js';
import { chosenRequirements } from '../run/protocol-cases.js';
import { readCatalogue, type ServerCatalogue } from '../run/server-catalogue.js';
import { sampleValue } from './sample-value.js';
import { destructiveReason, type GeneratedCase, toolCases } from './tool-cases.js';
import { suggested, type Trial, tryCall } from './trial.js';

export type Depth = 'basic' | 'standard' | 'comprehensive';

export interface GenerateSuiteOptions {
  /** How many tests of each tool: `basic`, `standard` or `comprehensive`. */
  readonly depth: Depth;
  /** Whether to try values at the edges of schemas. */
  readonly edges: boolean;
  /** Whether to try arguments that must be refused. */
  readonly negatives: boolean;
  /** Whether tests compare with snapshots. */
  readonly snapshots: boolean;
  /** Of each test of the file. */
  readonly timeout: Duration;
  /** The server as the validator reaches it; without it the file has no protocol tests. */
  readonly probe?: ValidationTarget | undefined;
  /** How the file names the server. */
  readonly server: unknown;
  /** Called with what is being tried. */
  readonly onProgress?: ((what: string) => void) | undefined;
}

export interface GeneratedSuite {
  readonly content: JsonObject;
  readonly count: number;
  /** For the person who generates: what looks wrong, and what is disabled. */
  readonly notes: readonly string[];
}

const MAX_RESOURCES: Readonly<Record<Depth, number>> = { basic: 5, standard: 20, comprehensive: 100 };
const TRIAL_MS = 10_000;
const AREAS = ['tools', 'resources', 'prompts', 'completion', 'progress'];

/** A test file from what a live server offers. */
export async function generateSuite(client: Client, options: GenerateSuiteOptions): Promise<GeneratedSuite> {
  const catalogue = await readCatalogue(client, { timeout: options.timeout });
  const notes: string[] = [];
  const tools = await toolTests(client, catalogue.tools, options, notes);
  const resources = await resourceTests(client, catalogue, options);
  const prompts = await promptTests(client, catalogue.prompts, options);
  const requests = options.depth === 'basic' ? {} : await requestTests(client, catalogue);
  const callable = catalogue.tools
    .filter((tool) => destructiveReason(tool) === undefined)
    .map(({ name }) => name);
  const protocol =
    options.depth === 'basic' ? undefined : await protocolTests(client, callable, options, notes);
  const count = [tools, resources, prompts, requests].reduce(
    (sum, part) => sum + Object.keys(part).length,
    0,
  );
  const content: JsonObject = {
    name: client.server?.name ?? 'generated tests',
    server: options.server,
    metadata: {
      discoveredAt: new Date().toISOString(),
      revision: client.revision,
      toolCount: catalogue.tools.length,
      resourceCount: catalogue.resources.length,
      promptCount: catalogue.prompts.length,
      generatedTestCount: count,
      depth: options.depth,
    },
    tests: {
      timeout: options.timeout,
      answers: { elicit: 'accept', sample: 'A sampled answer.', roots: [] },
      ...(Object.keys(tools).length === 0 ? {} : { tools }),
      ...(Object.keys(resources).length === 0 ? {} : { resources }),
      ...(Object.keys(prompts).length === 0 ? {} : { prompts }),
      ...(Object.keys(requests).length === 0 ? {} : { requests }),
      ...(protocol === undefined ? {} : { protocol }),
    },
  };
  return { content, count, notes };
}

type Tests = { [name: string]: JsonObject };

async function toolTests(
  client: Client,
  tools: readonly Tool[],
  options: GenerateSuiteOptions,
  notes: string[],
): Promise<Tests> {
  const tests: Tests = {};
  for (const tool of tools) {
    options.onProgress?.(`tool ${tool.name}`);
    const danger = destructiveReason(tool);
    if (danger !== undefined) notes.push(`${tool.name} is disabled: ${danger}`);
    for (const each of await toolCases(tool, options)) {
      const { name, args, description } = each;
      const test =
        danger === undefined
          ? { args, ...(await expectationOf(client, tool, each, options)) }
          : { args, skip: `disabled: ${danger}`, ...(each.kind === 'negative' ? { shouldThrow: true } : {}) };
      tests[name] = { ...(description === undefined ? {} : { description }), ...test };
    }
  }
  return tests;
}

async function expectationOf(
  client: Client,
  tool: Tool,
  { args, kind }: GeneratedCase,
  { snapshots }: GenerateSuiteOptions,
): Promise<JsonObject> {
  // A server that accepts what its schema forbids is wrong, whatever it does today.
  if (kind === 'negative') return { shouldThrow: true };
  const trial = await tryCall((options) => client.tools.call(tool.name, args, options), TRIAL_MS);
  if (trial.kind !== 'result') return failedExpectation(trial);
  if (snapshots) return { snapshot: true };
  const { outputSchema } = tool;
  if (isRecord(outputSchema) && isRecord(trial.result.structuredContent))
    return { expect: { schema: outputSchema, path: { 'content.length': { gte: 0 } } } };
  return { expect: shapeOf('content', trial.blocks) };
}

/** What a result consists of; its values may differ from one call to the next. */
function shapeOf(field: string, blocks: readonly string[]): string {
  if (blocks.length === 0) return `Array.isArray(${field})`;
  const kinds = [...new Set(blocks)];
  const types = kinds.map((type) => JSON.stringify(type)).join(', ');
  const key = field === 'messages' ? 'item.content.type' : 'item.type';
  return `${field}.length > 0 && ${field}.every(item => [${types}].includes(${key}))`;
}

function failedExpectation(trial: Exclude<Trial, { kind: 'result' }>): JsonObject {
  switch (trial.kind) {
    case 'failed':
      return { description: `answered when this file was written: ${trial.text}`, isError: true };
    case 'error':
      return {
        description: `answered when this file was written: ${trial.text}`,
        error: { code: trial.code },
      };
    case 'silent':
      return { skip: `did not work when this file was written: ${trial.text}` };
  }
}

async function resourceTests(
  client: Client,
  { resources }: ServerCatalogue,
  { depth, snapshots, onProgress }: GenerateSuiteOptions,
): Promise<Tests> {
  const tests: Tests = {};
  for (const { uri } of resources.slice(0, MAX_RESOURCES[depth])) {
    onProgress?.(`resource ${uri}`);
    const trial = await tryCall((options) => client.resources.read(uri, options), TRIAL_MS);
    const contents =
      trial.kind === 'result' && Array.isArray(trial.result.contents) ? trial.result.contents : [];
    const [first] = contents;
    if (trial.kind !== 'result') tests[uri] = failedExpectation(trial);
    else if (snapshots) tests[uri] = { snapshot: true };
    else if (!isRecord(first)) tests[uri] = { expect: 'exists' };
    else {
      const holds = typeof first.text === 'string' ? 'text' : 'blob';
      const type =
        first.mimeType === undefined ? '' : ` && contents[0].mimeType === ${JSON.stringify(first.mimeType)}`;
      tests[uri] = {
        expect: `contents.length > 0 && contents[0].uri === ${JSON.stringify(first.uri)} && typeof contents[0].${holds} === 'string'${type}`,
      };
    }
  }
  return tests;
}

async function promptTests(
  client: Client,
  prompts: readonly Prompt[],
  { snapshots, onProgress }: GenerateSuiteOptions,
): Promise<Tests> {
  const tests: Tests = {};
  for (const prompt of prompts) {
    onProgress?.(`prompt ${prompt.name}`);
    const args: { [name: string]: string } = {};
    for (const { name, required } of prompt.arguments ?? []) {
      if (required !== true) continue;
      args[name] =
        (await suggested(client, prompt.name, name)) ?? String(sampleValue(name, { type: 'string' }, {}));
    }
    const trial = await tryCall((options) => client.prompts.get(prompt.name, args, options), TRIAL_MS);
    tests[prompt.name] = {
      ...(Object.keys(args).length === 0 ? {} : { args }),
      ...(trial.kind !== 'result'
        ? failedExpectation(trial)
        : snapshots
          ? { snapshot: true }
          : { expect: trial.blocks.length === 0 ? 'exists' : shapeOf('messages', trial.blocks) }),
    };
  }
  return tests;
}

/** What does not exist must be refused, in the way in which the server refuses today. */
async function requestTests(client: Client, catalogue: ServerCatalogue): Promise<Tests> {
  const tests: Tests = {};
  const add = async (name: string, method: string, params: JsonObject): Promise<void> => {
    const trial = await tryCall((options) => client.request(method, params, options), TRIAL_MS);
    if (trial.kind === 'error') tests[name] = { method, params, error: { code: trial.code } };
    else if (trial.kind === 'failed') tests[name] = { method, params, expect: 'isError === true' };
  };
  if (catalogue.tools.length > 0)
    await add('unknown tool', 'tools/call', { name: 'plumb_no_such_tool', arguments: {} });
  if (catalogue.prompts.length > 0)
    await add('unknown prompt', 'prompts/get', { name: 'plumb_no_such_prompt', arguments: {} });
  if (catalogue.resources.length > 0)
    await add('unknown resource', 'resources/read', { uri: 'plumb-test://no/such/resource' });
  return tests;
}

/** Requirements that the server does not meet are listed with the reason, so that the file passes and says why. */
async function protocolTests(
  client: Client,
  tools: readonly string[],
  { probe, onProgress }: GenerateSuiteOptions,
  notes: string[],
): Promise<JsonObject | undefined> {
  const revision = findRevision(client.revision);
  if (probe === undefined || revision === undefined) return undefined;
  onProgress?.('protocol');
  const chosen = chosenRequirements({
    level: 'should',
    areas: AREAS,
    only: [],
    except: new Map(),
    tools,
  });
  const { runs } = await validateServer(probe, {
    only: chosen.map(({ id }) => id),
    revisions: [revision],
    tools,
  });
  const except: { [id: string]: string } = {};
  for (const { id, verdict, findings } of runs.flatMap(({ outcomes }) => outcomes)) {
    if (verdict !== 'fail') continue;
    except[id] = findings[0]?.message ?? requirement(id).title;
    notes.push(`the server does not meet requirement ${id} (${requirement(id).level}): ${except[id]}`);
  }
  return { level: 'should', areas: AREAS, tools, ...(Object.keys(except).length === 0 ? {} : { except }) };
}
