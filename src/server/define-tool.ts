/**
 * Tools that are known when the server is created, so that the compiler knows them too: `tools` in the options of
 * `createServer`, and then `connect<typeof server>()`.
 */

import type { AnySchema } from '../protocol/schema/infer.js';
import type { ToolType, ToolTypes } from '../protocol/tool-types.js';
import type { AnyToolHandler, ToolDefinition, ToolHandler } from './tools.js';

/** A definition and its handler, under a name that the server gives. */
interface UnknownTool {
  readonly definition: ToolDefinition;
  readonly handler: AnyToolHandler;
  /** For the compiler alone; there is no such property. */
  readonly '~type'?: ToolTypes[string] | undefined;
}

export interface DefinedTool<Input extends AnySchema, Output extends AnySchema | undefined>
  extends UnknownTool {
  readonly '~type'?: ToolType<Input, Output> | undefined;
}

export type DefinedTools = { readonly [name: string]: UnknownTool };

/** What a client may know of such tools. */
export type TypesOf<Tools extends DefinedTools> = {
  readonly [Name in keyof Tools]: NonNullable<Tools[Name]['~type']>;
};

/** A tool for the `tools` of `createServer`. Arguments and results are typed by the schemas. */
export function defineTool<
  const Input extends AnySchema = { readonly type: 'object' },
  const Output extends AnySchema | undefined = undefined,
>(
  definition: Omit<ToolDefinition, 'input' | 'output'> & {
    readonly input?: Input | undefined;
    readonly output?: Output | undefined;
  },
  handler: ToolHandler<Input, Output>,
): DefinedTool<Input, Output> {
  return {
    definition: definition as ToolDefinition,
    handler: handler as AnyToolHandler,
  };
}
