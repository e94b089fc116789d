/** Tools for the two APIs of OpenAI: Chat Completions and Responses. */

import type { CallOptions } from '../client/index.js';
import type { CallToolResult } from '../protocol/model/tools.js';
import { dataUrl, modelParts, modelText, textOfPart } from './model-content.js';
import { type AdapterOptions, type ToolSource, Toolset } from './toolset.js';

export interface OpenAiChatTool {
  type: 'function';
  function: { name: string; description?: string; parameters: { [key: string]: unknown } };
}

/** A call in a message of the model. Only calls of functions are ours. */
export interface OpenAiChatCall {
  readonly id: string;
  readonly type?: string | undefined;
  readonly function?: { readonly name: string; readonly arguments: string } | undefined;
}

export interface OpenAiChatToolMessage {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

export interface OpenAiChatTools {
  readonly tools: OpenAiChatTool[];
  /** Runs the calls of a message (`message.tool_calls`), and gives the messages that answer them. */
  call(
    calls: readonly OpenAiChatCall[] | null | undefined,
    options?: CallOptions,
  ): Promise<OpenAiChatToolMessage[]>;
}

/** Tools for `openai.chat.completions.create`. */
export async function openaiChatTools(
  source: ToolSource,
  options: AdapterOptions = {},
): Promise<OpenAiChatTools> {
  const toolset = await Toolset.of('openaiChatTools', source, 'openai', options);
  return {
    tools: toolset.tools.map(({ name, description, schema }) => ({
      type: 'function',
      function: { name, ...(description === undefined ? {} : { description }), parameters: schema },
    })),
    call: (calls, callOptions) =>
      Promise.all(
        (calls ?? []).flatMap(({ id, function: called }) =>
          called === undefined
            ? []
            : [
                run(toolset, called.name, called.arguments, callOptions).then(
                  (result): OpenAiChatToolMessage => ({
                    role: 'tool',
                    tool_call_id: id,
                    content: marked(result, modelText(result)),
                  }),
                ),
              ],
        ),
      ),
  };
}

export interface OpenAiResponsesTool {
  type: 'function';
  name: string;
  description?: string;
  parameters: { [key: string]: unknown };
  strict: false;
}

/** An item of a response's `output`. Only function calls are ours. */
export interface OpenAiResponsesItem {
  readonly type: string;
}

interface FunctionCallItem extends OpenAiResponsesItem {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface OpenAiResponsesOutput {
  type: 'function_call_output';
  call_id: string;
  output:
    | string
    | ({ type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' })[];
}

export interface OpenAiResponsesTools {
  readonly tools: OpenAiResponsesTool[];
  /** Runs the calls in a response (`response.output`), and gives the input items that answer them. */
  call(items: readonly OpenAiResponsesItem[], options?: CallOptions): Promise<OpenAiResponsesOutput[]>;
}

/** Tools for `openai.responses.create`. */
export async function openaiResponsesTools(
  source: ToolSource,
  options: AdapterOptions = {},
): Promise<OpenAiResponsesTools> {
  const toolset = await Toolset.of('openaiResponsesTools', source, 'openai', options);
  return {
    tools: toolset.tools.map(({ name, description, schema }) => ({
      type: 'function',
      name,
      ...(description === undefined ? {} : { description }),
      parameters: schema,
      // Strict schemas have rules of their own that servers do not write by.
      strict: false,
    })),
    call: (items, callOptions) =>
      Promise.all(
        items.filter(isFunctionCall).map(async ({ call_id, name, arguments: args }) => {
          const result = await run(toolset, name, args, callOptions);
          return { type: 'function_call_output', call_id, output: responsesOutput(result) };
        }),
      ),
  };
}

function isFunctionCall(item: OpenAiResponsesItem): item is FunctionCallItem {
  return item.type === 'function_call' && 'call_id' in item && 'name' in item && 'arguments' in item;
}

function responsesOutput(result: CallToolResult): OpenAiResponsesOutput['output'] {
  const parts = modelParts(result);
  if (parts.every(({ type }) => type === 'text')) return marked(result, parts.map(textOfPart).join('\n'));
  return parts.map((part) =>
    part.type === 'text'
      ? { type: 'input_text', text: part.text }
      : { type: 'input_image', image_url: dataUrl(part), detail: 'auto' },
  );
}

/** These APIs have no field for a failure. */
function marked(result: CallToolResult, text: string): string {
  return result.isError === true ? `Error: ${text}` : text;
}

async function run(
  toolset: Toolset,
  name: string,
  text: string,
  options: CallOptions | undefined,
): Promise<CallToolResult> {
  let args: unknown;
  try {
    // Models leave the text empty where there is nothing to say.
    args = text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    args = undefined;
  }
  return toolset.call(name, args, options);
}
