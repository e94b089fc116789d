/** What a server has, for completion: asked once, and remembered for a minute, because each tab starts a process. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Client, connect } from '../../client/index.js';
import { isRecord } from '../../jsonrpc/message.js';
import { openCredentials, protectedUrl } from '../session/credentials.js';
import { resolveTarget } from '../target/target.js';
import type { CompletableItem, CompletableServer } from './candidates.js';

const LIMIT_MS = 10_000;
const FRESH_MS = 60_000;
const MAX_REMEMBERED = 20;

type Remembered = Record<string, { readonly at: number; readonly server: CompletableServer }>;

export async function completableServer(
  target: string,
  config: string | undefined,
): Promise<CompletableServer> {
  const path = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'plumb', 'completion.json');
  const key = JSON.stringify([process.cwd(), target, config]);
  const remembered = recall(path);
  const known = remembered[key];
  if (known !== undefined && Date.now() - known.at < FRESH_MS) return known.server;
  const server = await ask(target, config);
  const others = Object.entries(remembered).slice(-(MAX_REMEMBERED - 1));
  const now: Remembered = { ...Object.fromEntries(others), [key]: { at: Date.now(), server } };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, JSON.stringify(now), { mode: 0o600 });
  return server;
}

function recall(path: string): Remembered {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(value) ? (value as Remembered) : {};
  } catch {
    return {};
  }
}

async function ask(word: string, config: string | undefined): Promise<CompletableServer> {
  const target = resolveTarget([word], undefined, config === undefined ? {} : { config });
  const signal = AbortSignal.timeout(LIMIT_MS);
  // Tokens that are there are used; a tab opens no login page.
  const auth =
    protectedUrl(target) === undefined
      ? {}
      : { auth: await openCredentials(false, { account: target.account }) };
  const client = await connect(target.target, { name: 'plumb', signal, ...auth });
  try {
    return await contentsOf(client);
  } finally {
    await client.close();
  }
}

async function contentsOf({ capabilities, tools, prompts, resources }: Client): Promise<CompletableServer> {
  const listedTools = capabilities.tools === undefined ? [] : await tools.list();
  const listedPrompts = capabilities.prompts === undefined ? [] : await prompts.list();
  const listedResources = capabilities.resources === undefined ? [] : await resources.list();
  return {
    tools: listedTools.map(({ name, description = '', inputSchema }) => ({
      name,
      description,
      arguments: propertiesOf(inputSchema),
    })),
    prompts: listedPrompts.map(({ name, description = '', arguments: given = [] }) => ({
      name,
      description,
      arguments: given.map((argument) => ({
        name: argument.name,
        description: argument.description ?? '',
        values: [],
      })),
    })),
    resources: listedResources.map(({ uri, description = '' }) => ({ name: uri, description })),
  };
}

function propertiesOf(schema: unknown): CompletableItem['arguments'] {
  const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
  return Object.entries(properties).map(([name, property]) => {
    const { description, enum: listed, type } = isRecord(property) ? property : {};
    const values = Array.isArray(listed) ? listed.map(String) : type === 'boolean' ? ['true', 'false'] : [];
    return { name, description: typeof description === 'string' ? description : '', values };
  });
}
