/** A client of a server whose tools the compiler knows. It is a client like any other. */

import type { CallToolResult } from '../protocol/model/tools.js';
import type { AnySchema, InferOutput } from '../protocol/schema/infer.js';
import type { DescribedServer, ToolsOf, ToolTypes } from '../protocol/tool-types.js';
import type { Client } from './client.js';
import type { TaskHandle } from './features/tasks.js';
import type { CallToolOptions, Tools, UntypedCallOptions } from './features/tools.js';
import type { CallOptions } from './options.js';

export interface TypedClient<Known extends ToolTypes> extends Client {
  readonly tools: TypedTools<Known>;
}

/** What `connect` gives for this type of server. */
export type ClientOf<Server extends DescribedServer> = string extends keyof ToolsOf<Server>
  ? Client
  : TypedClient<ToolsOf<Server>>;

export interface TypedTools<Known extends ToolTypes> extends Tools {
  call<Name extends BareNames<Known> & string>(
    name: Name,
    args?: Known[Name]['input'],
    options?: UntypedCallOptions,
  ): Promise<TypedResult<Known, Name>>;
  call<Name extends keyof Known & string>(
    name: Name,
    args: Known[Name]['input'],
    options?: UntypedCallOptions,
  ): Promise<TypedResult<Known, Name>>;
  call<Name extends keyof Known & string, const Output extends AnySchema>(
    name: Name,
    args: Known[Name]['input'],
    options: CallToolOptions<Output> & { readonly output: Output },
  ): Promise<InferOutput<Output>>;
  start<Name extends BareNames<Known> & string>(
    name: Name,
    args?: Known[Name]['input'],
    options?: CallOptions,
  ): Promise<TaskHandle<TypedResult<Known, Name>>>;
  start<Name extends keyof Known & string>(
    name: Name,
    args: Known[Name]['input'],
    options?: CallOptions,
  ): Promise<TaskHandle<TypedResult<Known, Name>>>;
}

/** Tools that can be called without arguments. */
type BareNames<Known extends ToolTypes> = {
  [Name in keyof Known]: Record<never, never> extends Known[Name]['input'] ? Name : never;
}[keyof Known];

/** A result whose structured content has a known type, unless the tool failed. */
export type StructuredToolResult<Value> = CallToolResult &
  (
    | { readonly isError?: false; readonly structuredContent: Value }
    | { readonly isError: true; readonly structuredContent?: unknown }
  );

type TypedResult<Known extends ToolTypes, Name extends keyof Known> = CallToolResult &
  ([Known[Name]['output']] extends [undefined] ? unknown : StructuredToolResult<Known[Name]['output']>);
