/** The model's side of sampling: a fixed text, or whatever the person at the terminal types in its place. */

import { refuse, type SampleHandler } from '../../client/index.js';
import { printable, singleLine } from '../../protocol/display.js';
import type { CreateMessageParams, CreateMessageResult, SamplingMessage } from '../../protocol/index.js';
import type { SamplingContent, ToolUseContent } from '../../protocol/model/content.js';
import { assign } from '../arguments/assignments.js';
import { UsageError } from '../failure/failure.js';
import { signature } from '../output/lists.js';
import { indent } from '../output/text.js';
import type { Dialog, TerminalConversation } from './dialog.js';

const REFUSE = ':refuse';

/** Undefined without a terminal and without `--sample-text`: the capability is then not declared. */
export function createSampleHandler(
  text: string | undefined,
  dialog: Dialog | undefined,
): SampleHandler | undefined {
  if (text !== undefined) return () => answer('plumb', [{ type: 'text', text }]);
  if (dialog === undefined) return undefined;
  return (request, { signal }) => dialog.converse(signal, (conversation) => playModel(request, conversation));
}

async function playModel(
  request: CreateMessageParams,
  conversation: TerminalConversation,
): Promise<CreateMessageResult> {
  conversation.say(['The server asks your model:', ...indent(describeRequest(request))].join('\n'));
  const calls = request.tools === undefined ? '' : ' /TOOL key=value calls a tool,';
  conversation.say(`  Type the answer, and end it with an empty line;${calls} ${REFUSE} refuses.`);
  const lines: string[] = [];
  for (;;) {
    const line = await conversation.ask('  > ');
    if (line === undefined || line.trim() === REFUSE) refuse('The person at the terminal refused to answer');
    if (lines.length === 0 && line.startsWith('/') && request.tools !== undefined) {
      const use = parseToolUse(line, request, conversation);
      if (use !== undefined) return answer('human', [use], 'toolUse');
    } else if (line !== '') {
      lines.push(line);
    } else if (lines.length > 0) {
      return answer('human', [{ type: 'text', text: lines.join('\n') }]);
    }
  }
}

function answer(model: string, content: SamplingContent[], stopReason = 'endTurn'): CreateMessageResult {
  const [only, ...more] = content;
  // A single block is not a list in the older revisions, and means the same in the newer ones.
  return {
    role: 'assistant',
    model,
    stopReason,
    content: only !== undefined && more.length === 0 ? only : content,
  };
}

function describeRequest({ messages, systemPrompt, maxTokens, tools }: CreateMessageParams): string[] {
  return [
    ...(systemPrompt === undefined ? [] : [`system: ${printable(systemPrompt)}`]),
    ...messages.flatMap(describeMessage),
    `(at most ${maxTokens} tokens)`,
    ...(tools ?? []).map(
      (tool) => `tool /${singleLine(tool.name)} ${singleLine(signature(tool.inputSchema))}`,
    ),
  ];
}

function describeMessage({ role, content }: SamplingMessage): string[] {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.flatMap((block) => `${role}: ${describeBlock(block)}`.split('\n'));
}

function describeBlock(block: SamplingContent): string {
  switch (block.type) {
    case 'text':
      return printable(block.text);
    case 'tool_use':
      return `[calls ${singleLine(block.name)} with ${singleLine(JSON.stringify(block.input))}]`;
    case 'tool_result':
      return `[tool result: ${singleLine(JSON.stringify(block.content))}]`;
    default:
      return `[${block.type} ${singleLine(block.mimeType)}]`;
  }
}

/** `/multiply a=17 b=23` */
function parseToolUse(
  line: string,
  { tools = [] }: CreateMessageParams,
  conversation: TerminalConversation,
): ToolUseContent | undefined {
  const [name = '', ...words] = line.slice(1).trim().split(/\s+/);
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) {
    conversation.say(
      `  Unknown tool /${name}; available: ${tools.map((known) => `/${known.name}`).join(', ')}`,
    );
    return undefined;
  }
  try {
    return { type: 'tool_use', id: crypto.randomUUID(), name, input: assign(words, tool.inputSchema) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    conversation.say(`  ${error.message}`);
    return undefined;
  }
}
