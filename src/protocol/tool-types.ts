/** The tools of a server as types: names, arguments and results. They carry no values. */

import type { AnySchema, InferInput, InferOutput } from './schema/infer.js';

/** Arguments and structured result of each tool by name. The default stands for a server of which nothing is known. */
export type ToolTypes = { readonly [name: string]: { readonly input: object; readonly output: unknown } };

/** A server whose tools the compiler knows, or may know: `typeof server`. */
export interface DescribedServer<Known extends ToolTypes = ToolTypes> {
  /** For the compiler alone; there is no such property. */
  readonly '~tools'?: Known | undefined;
}

export type ToolsOf<Server extends DescribedServer> =
  Server extends DescribedServer<infer Known extends ToolTypes> ? Known : ToolTypes;

/** The types of a tool with these schemas. */
export interface ToolType<Input extends AnySchema, Output extends AnySchema | undefined> {
  readonly input: InferInput<Input> & object;
  readonly output: Output extends AnySchema ? InferOutput<Output> : undefined;
}
