/** The part of generated code that is the same for every server. */

export const HEADER = '// Written by plumb gen; changes are lost when it is written again.\n\n';

export const CLIENT_TEXT: string = `${HEADER}/** A client of Plumb. */
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
`;

/** After the tables of the server: \`TARGET\` and \`TOOLS\`. */
export const CLI_TEXT = `
function usage(): string {
  const lines = Object.entries(TOOLS).map(([name, tool]) => \`  \${name}  \${tool.description.split('\\n')[0]}\`);
  return \`Usage: cli TOOL [key=value...] [--json ARGUMENTS]\\n       cli TOOL --help\\n\\nTools:\\n\${lines.join('\\n')}\`;
}

function help(name: string, tool: ToolEntry): string {
  const lines = Object.entries(tool.args).map(
    ([key, { type, required, description }]) => \`  \${key}=\${type}\${required ? ' (required)' : ''}  \${description}\`,
  );
  return [\`\${name}: \${tool.description}\`, '', ...lines].join('\\n');
}

/** Words have the types that the tool asks for. */
function typed(type: string, text: string): unknown {
  if (type === 'string') return text;
  if (type === 'number') {
    if (text.trim() === '' || Number.isNaN(Number(text))) throw new Error(\`\${JSON.stringify(text)} is no number\`);
    return Number(text);
  }
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function argumentsOf(tool: ToolEntry, words: readonly string[]): { [key: string]: unknown } {
  const json = words.indexOf('--json');
  const entries = new Map<string, unknown>(json < 0 ? [] : Object.entries(JSON.parse(words[json + 1] ?? '{}')));
  const pairs = json < 0 ? words : [...words.slice(0, json), ...words.slice(json + 2)];
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new Error(\`\${JSON.stringify(pair)} is no argument; write key=value\`);
    const key = pair.slice(0, equals);
    const known = Object.hasOwn(tool.args, key) ? tool.args[key] : undefined;
    entries.set(key, typed(known?.type ?? 'json', pair.slice(equals + 1)));
  }
  return Object.fromEntries(entries);
}

async function main(words: readonly string[]): Promise<number> {
  const [name = '--help', ...rest] = words;
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (tool === undefined) {
    console.log(usage());
    return name === '--help' || name === '-h' ? 0 : 2;
  }
  if (rest.includes('--help')) {
    console.log(help(name, tool));
    return 0;
  }
  const args = argumentsOf(tool, rest);
  const client = await connect(process.env.MCP_URL ?? TARGET);
  try {
    const result = await callTool<unknown>(client, name, args);
    for (const block of result.content) console.log(block.text ?? JSON.stringify(block));
    return result.isError === true ? 1 : 0;
  } finally {
    await client.close();
  }
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
});
`;
