/** What the schema of a tool has to say about a call that failed, or that succeeded in spite of it. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../protocol/index.js';
import { nearest } from '../../protocol/option-names.js';
import { signature } from '../output/lists.js';

/** Arguments that the tool does not declare, each with what was probably meant. */
export function undeclaredArguments(
  { name: tool, inputSchema }: Tool,
  args: JsonObject,
): Map<string, string> {
  const undeclared = new Map<string, string>();
  const { properties, additionalProperties, patternProperties } = inputSchema;
  const isOpen = additionalProperties === true || isRecord(additionalProperties);
  if (!isRecord(properties) || isOpen || patternProperties !== undefined) return undeclared;
  for (const name of Object.keys(args)) {
    if (Object.hasOwn(properties, name)) continue;
    const similar = nearest(name, Object.keys(properties));
    const hint = similar === undefined ? '' : `; did you mean "${similar}"?`;
    undeclared.set(name, `"${name}" is not an argument of ${tool}${hint}`);
  }
  return undeclared;
}

/** For the message about a failure: what it does not say already, and how the arguments are written. */
export function argumentHint(tool: Tool, args: JsonObject, failure: string): string {
  const undeclared = [...undeclaredArguments(tool, args)]
    .filter(([name]) => !failure.includes(name))
    .map(([, hint]) => `; ${hint}`);
  const { required } = tool.inputSchema;
  const isMissing = Array.isArray(required) && required.some((name) => !Object.hasOwn(args, String(name)));
  const takes = isMissing ? `; it takes: ${signature(tool.inputSchema)}` : '';
  return `${undeclared.join('')}${takes}`;
}
