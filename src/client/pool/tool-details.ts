/** How much of a found tool a search returns. A model looks at names first, and at schemas last. */

import { isRecord } from '../../jsonrpc/message.js';
import type { Searchable } from '../../middleware/tool-index.js';
import type { PoolTool } from './pool.js';

export type Detail = 'name' | 'summary' | 'full';

export interface SearchDetails {
  name: { readonly name: string; readonly server: string };
  summary: {
    readonly name: string;
    readonly server: string;
    readonly title: string | undefined;
    /** The first sentence. */
    readonly description: string | undefined;
    readonly parameters: readonly string[];
  };
  full: PoolTool;
}

const SUMMARY_CHARACTERS = 200;

export function detailOf(tool: PoolTool, detail: Detail): SearchDetails[Detail] {
  const { name, server, title, description } = tool;
  switch (detail) {
    case 'name':
      return { name, server };
    case 'summary':
      return { name, server, title, description: firstSentence(description), parameters: parametersOf(tool) };
    case 'full':
      return tool;
  }
}

export function searchable(tool: PoolTool): Searchable {
  const { server, originalName, title, description } = tool;
  return { name: `${server} ${originalName}`, title, description, parameters: parametersOf(tool) };
}

function parametersOf({ inputSchema }: PoolTool): string[] {
  return isRecord(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
}

function firstSentence(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const line = text.trim().split('\n', 1)[0] ?? '';
  const end = line.indexOf('. ');
  const sentence = end === -1 ? line : line.slice(0, end + 1);
  return sentence.length <= SUMMARY_CHARACTERS ? sentence : `${sentence.slice(0, SUMMARY_CHARACTERS - 1)}…`;
}
