/** What a server lists, read once for each connection. */

import type { Client } from '../../client/client.js';
import type { CallOptions } from '../../client/options.js';
import { createGlob } from '../../middleware/subject.js';
import { McpError, ProtocolError } from '../../protocol/errors.js';
import type { Prompt } from '../../protocol/model/prompts.js';
import type { Resource, ResourceTemplate } from '../../protocol/model/resources.js';
import type { Tool } from '../../protocol/model/tools.js';
import { baseName } from '../suite/parse-step.js';

export interface ServerCatalogue {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

export async function readCatalogue(client: Client, options: CallOptions): Promise<ServerCatalogue> {
  return {
    tools: await listed(() => client.tools.list(options)),
    prompts: await listed(() => client.prompts.list(options)),
    resources: await listed(() => client.resources.list(options)),
    templates: await listed(() => client.resources.templates().list(options)),
  };
}

/** Servers that implement only part of the protocol have nothing of the rest. */
async function listed<T>(list: () => Promise<T[]>): Promise<T[]> {
  try {
    return await list();
  } catch (error) {
    if (error instanceof ProtocolError && error.code === 'method_not_found') return [];
    if (error instanceof McpError && error.code === 'not_supported') return [];
    throw error;
  }
}

/** `tool:suffix` is another test of `tool`, unless the server has a tool of that whole name. */
export function findNamed<T extends { readonly name: string }>(
  list: readonly T[],
  name: string,
): T | undefined {
  return list.find((item) => item.name === name) ?? list.find((item) => item.name === baseName(name));
}

export function isGlob(subject: string): boolean {
  return subject.includes('*');
}

export interface MatchedResources {
  readonly uris: readonly string[];
  /** Resources and templates. */
  readonly count: number;
}

export function matchResources({ resources, templates }: ServerCatalogue, subject: string): MatchedResources {
  const matches = isGlob(subject)
    ? createGlob(subject.replaceAll('**', '*'))
    : (text: string) => text === subject;
  const found = resources.filter(
    ({ uri, name }) => matches(uri) || (isGlob(subject) ? matches(name) : name === subject),
  );
  const shapes = templates.filter(({ uriTemplate }) => matches(uriTemplate));
  return { uris: found.map(({ uri }) => uri), count: found.length + shapes.length };
}
