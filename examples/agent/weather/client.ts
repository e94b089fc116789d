// Written by plumb gen; changes are lost when it is written again.

/** A client of Plumb. */
export interface PlumbCaller {
  readonly tools: { call(name: string, args?: object): Promise<object> };
  readonly resources: { read(uri: string): Promise<object> };
  readonly prompts: { get(name: string, args?: { [name: string]: string }): Promise<object> };
}

/** A client of the official SDK. */
export interface SdkCaller {
  callTool(params: { name: string; arguments?: { [name: string]: unknown } }): Promise<object>;
  readResource(params: { uri: string }): Promise<object>;
  getPrompt(params: { name: string; arguments?: { [name: string]: string } }): Promise<object>;
}

export type Caller = PlumbCaller | SdkCaller;

export type ContentBlock = { type: string; text?: string; data?: string; mimeType?: string; [key: string]: unknown };

export interface ToolResult<Output> {
  content: ContentBlock[];
  structuredContent?: Output;
  /** The tool failed; its content says why. */
  isError?: boolean;
}

export interface PromptResult {
  description?: string;
  messages: { role: 'user' | 'assistant'; content: ContentBlock }[];
}

export interface ResourceResult {
  contents: { uri: string; mimeType?: string; text?: string; blob?: string }[];
}

export async function callTool<Output>(client: Caller, name: string, args: object): Promise<ToolResult<Output>> {
  const result =
    'callTool' in client
      ? await client.callTool({ name, arguments: { ...args } })
      : await client.tools.call(name, args);
  return result as ToolResult<Output>;
}

export async function getPrompt(client: Caller, name: string, args: object): Promise<PromptResult> {
  const texts = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, String(value)]));
  const result =
    'getPrompt' in client
      ? await client.getPrompt({ name, arguments: texts })
      : await client.prompts.get(name, texts);
  return result as PromptResult;
}

export async function readResource(client: Caller, uri: string): Promise<ResourceResult> {
  const result = 'readResource' in client ? await client.readResource({ uri }) : await client.resources.read(uri);
  return result as ResourceResult;
}
