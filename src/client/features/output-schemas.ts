/** The output schemas of tools seen in lists, and the check of structured results against them. */

import type { JsonSchema } from '../../protocol/model/base.js';
import type { CallToolResult, Tool } from '../../protocol/model/tools.js';
import type { JsonValidator } from '../../protocol/schema/dialect.js';
import { SchemaError } from '../../protocol/schema/index.js';
import { describeIssues } from '../../protocol/schema/schema.js';
import { compileValidator } from '../../protocol/schema/validator.js';
import { invalidResult } from '../errors.js';
import type { Note } from './results.js';

interface Known {
  readonly schema: JsonSchema;
  validator: JsonValidator | undefined;
}

export class OutputSchemas {
  readonly #known = new Map<string, Known>();
  readonly #note: Note;

  constructor(note: Note) {
    this.#note = note;
  }

  learn(tools: readonly Tool[]): void {
    for (const { name, outputSchema } of tools) {
      if (outputSchema === undefined) this.#known.delete(name);
      else this.#known.set(name, { schema: outputSchema, validator: undefined });
    }
  }

  /** The list changed: what is known may be out of date. */
  forget(): void {
    this.#known.clear();
  }

  /** The result itself when it is what the tool promised. Synchronous once the schema is compiled. */
  check(tool: string, result: CallToolResult): CallToolResult | Promise<CallToolResult> {
    const known = this.#known.get(tool);
    // A tool that failed owes no structure (structured content).
    if (known === undefined || result.isError === true) return result;
    if (known.validator !== undefined) return validated(tool, known.validator, result);
    return this.#compile(tool, known).then((validator) =>
      validator === undefined ? result : validated(tool, validator, result),
    );
  }

  async #compile(tool: string, known: Known): Promise<JsonValidator | undefined> {
    try {
      known.validator = await compileValidator(known.schema);
      return known.validator;
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      this.#known.delete(tool);
      this.#note(
        `The output schema of ${tool} cannot be used, so its results go unchecked: ${error.message}`,
      );
      return undefined;
    }
  }
}

function validated(tool: string, validator: JsonValidator, result: CallToolResult): CallToolResult {
  if (result.structuredContent === undefined) {
    throw invalidResult(
      `tools/call of ${tool}`,
      'structuredContent is missing, though the tool has an output schema',
    );
  }
  const issues = validator(result.structuredContent);
  if (issues === undefined) return result;
  throw invalidResult(
    `tools/call of ${tool}`,
    `structuredContent does not fit the output schema: ${describeIssues(issues)}`,
  );
}
