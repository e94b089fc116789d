/** Tools for the AI SDK (`ai`): an object for the `tools` of generateText and streamText. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { CallToolResult } from '../protocol/model/tools.js';
import { modelParts, modelText } from './model-content.js';
import { type AdapterOptions, type ToolSource, Toolset } from './toolset.js';

type AiSdkPart = { type: 'text'; text: string } | { type: 'image-data'; data: string; mediaType: string };

export type AiSdkOutput =
  | { type: 'content'; value: AiSdkPart[] }
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string };

/** What the SDK keeps of a call and shows to user interfaces. */
export type AiSdkResult = Pick<CallToolResult, 'content' | 'structuredContent' | 'isError'>;

/** A Standard Schema that says what it is; the SDK asks it for its JSON Schema. */
interface InputSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'plumb-mcp';
    readonly validate: (value: unknown) => { readonly value: JsonObject };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
    readonly types?: { readonly input: JsonObject; readonly output: JsonObject } | undefined;
  };
}

export interface AiSdkTool {
  description?: string;
  title?: string;
  inputSchema: InputSchema;
  execute(
    input: JsonObject,
    options: { readonly abortSignal?: AbortSignal | undefined },
  ): Promise<AiSdkResult>;
  toModelOutput(options: { readonly output: AiSdkResult }): AiSdkOutput;
}

/** Tools for `generateText({ tools })`. The SDK runs them by itself. */
export async function aiSdkTools(
  source: ToolSource,
  options: AdapterOptions = {},
): Promise<{ [name: string]: AiSdkTool }> {
  const toolset = await Toolset.of('aiSdkTools', source, undefined, options);
  return Object.fromEntries(
    toolset.tools.map(({ name, description, title, schema }): [string, AiSdkTool] => [
      name,
      {
        ...(description === undefined ? {} : { description }),
        ...(title === undefined ? {} : { title }),
        inputSchema: inputSchema(schema),
        execute: async (input, { abortSignal }) =>
          forProgram(
            await toolset.call(name, input, abortSignal === undefined ? {} : { signal: abortSignal }),
          ),
        toModelOutput: ({ output }) => modelOutput(output),
      },
    ]),
  );
}

/** The server checks arguments and says what is wrong with them, in words for the model. */
function inputSchema(schema: JsonObject): InputSchema {
  const describe = (): Record<string, unknown> => schema;
  return {
    '~standard': {
      version: 1,
      vendor: 'plumb-mcp',
      validate: (value) => ({ value: value as JsonObject }),
      jsonSchema: { input: describe, output: describe },
    },
  };
}

function forProgram({ content, structuredContent, isError }: CallToolResult): AiSdkResult {
  return {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === undefined ? {} : { isError }),
  };
}

function modelOutput(result: AiSdkResult): AiSdkOutput {
  if (result.isError === true) return { type: 'error-text', value: modelText(result) };
  const parts = modelParts(result);
  if (parts.every(({ type }) => type === 'text')) return { type: 'text', value: modelText(result) };
  return {
    type: 'content',
    value: parts.map((part) =>
      part.type === 'text'
        ? { type: 'text', text: part.text }
        : { type: 'image-data', data: part.data, mediaType: part.mimeType },
    ),
  };
}
