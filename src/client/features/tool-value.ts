/** The value of a structured result, checked by a schema of the caller. */

import { McpError } from '../../protocol/errors.js';
import type { CallToolResult } from '../../protocol/model/tools.js';
import type { AnySchema } from '../../protocol/schema/infer.js';
import { createChecker, describeIssues, type SchemaChecker } from '../../protocol/schema/schema.js';
import { textOf } from '../../protocol/text-of.js';
import { invalidResult } from '../errors.js';

/** The tool itself failed, where a value of it was asked for. `result` says why, in words for the model. */
export class ToolFailedError extends McpError<'tool_failed'> {
  readonly result: CallToolResult;
  readonly mayHaveActed = true;

  constructor(tool: string, result: CallToolResult) {
    super('tool_failed', `Tool "${tool}" failed: ${textOf(result) || 'it did not say why'}`);
    this.result = result;
  }
}

const checkers = new WeakMap<object, SchemaChecker>();

/** What the schema makes of the result; throws when the tool failed, or when it is something else. */
export async function toolValue(tool: string, result: CallToolResult, schema: AnySchema): Promise<unknown> {
  if (result.isError === true) throw new ToolFailedError(tool, result);
  let checker = checkers.get(schema);
  if (checker === undefined) {
    checker = createChecker(schema);
    checkers.set(schema, checker);
  }
  const checked = await checker.check(structuredValue(result));
  if (checked.issues === undefined) return checked.value;
  throw invalidResult(
    `tools/call of ${tool}`,
    `the result does not fit the schema given as output: ${describeIssues(checked.issues)}`,
  );
}

/** Revisions without structured content have the same as JSON text. */
function structuredValue(result: CallToolResult): unknown {
  if (result.structuredContent !== undefined) return result.structuredContent;
  const [only, ...others] = result.content;
  if (only?.type !== 'text' || others.length > 0) return undefined;
  try {
    return JSON.parse(only.text);
  } catch {
    return only.text;
  }
}
