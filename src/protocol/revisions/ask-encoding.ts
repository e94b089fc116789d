/**
 * A server's questions (elicitation, sampling, roots) as a client of a given revision understands them, and its answers.
 * Loaded with the first question of a process.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { SamplingContent } from '../model/content.js';
import type { CreateMessageParams, SamplingMessage } from '../model/sampling.js';
import { withAnnotations } from './content.js';
import { encodeTool } from './results.js';
import type { Revision } from './revision.js';
import { readable } from './vocabulary.js';

/** The question's parameters without what the client's revision does not know. */
export function encodeAsk(revision: Revision, method: string, params: JsonObject): JsonObject {
  if (method === 'sampling/createMessage') return encodeSampling(revision, params);
  if (method !== 'elicitation/create') return params;
  if (params.mode === 'url') {
    if (revision.elicitationId) return params;
    const { elicitationId: _, ...rest } = params;
    return rest;
  }
  if (revision.elicitation !== 'basic_form') return params;
  const { mode: _, requestedSchema, ...rest } = params;
  return { ...rest, requestedSchema: basicForm(requestedSchema) };
}

function encodeSampling(revision: Revision, params: JsonObject): JsonObject {
  const encoded = readable(revision, 'samplingParams', params);
  const tools = encoded.tools as CreateMessageParams['tools'];
  const messages = encoded.messages as CreateMessageParams['messages'] | undefined;
  return {
    ...encoded,
    ...(tools === undefined ? {} : { tools: tools.map((tool) => encodeTool(revision, tool)) }),
    ...(messages === undefined || revision.samplingTools
      ? {}
      : { messages: messages.flatMap((message) => plainMessages(revision, message)) }),
  };
}

/** Before tools came to sampling, a message was one block of text, image or sound: longer ones become several. */
function plainMessages(revision: Revision, { role, content }: SamplingMessage): SamplingMessage[] {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.map((block) => ({ role, content: plainBlock(revision, block) }));
}

function plainBlock(revision: Revision, block: SamplingContent): SamplingContent {
  switch (block.type) {
    case 'tool_use':
      return { type: 'text', text: `[use of tool ${block.name}: ${JSON.stringify(block.input)}]` };
    case 'tool_result':
      return {
        type: 'text',
        text: `[result of tool use ${block.toolUseId}: ${JSON.stringify(block.content)}]`,
      };
    default:
      if (block.type === 'audio' && !revision.contentTypes.has('audio')) {
        return { type: 'text', text: `[sound that this protocol revision cannot carry: ${block.mimeType}]` };
      }
      return withAnnotations(revision, readable(revision, 'content', block));
  }
}

/** The first elicitation had plain enums with `enumNames` and defaults on booleans alone, and no multi-select. */
function basicForm(schema: unknown): unknown {
  if (!isRecord(schema) || !isRecord(schema.properties)) return schema;
  const { $schema: _, ...rest } = schema;
  const properties = Object.entries(schema.properties).map(([name, property]) => [
    name,
    basicField(property),
  ]);
  return { ...rest, properties: Object.fromEntries(properties) };
}

function basicField(field: unknown): unknown {
  if (!isRecord(field)) return field;
  if (field.type === 'array') return multiSelectAsText(field);
  const { default: fallback, oneOf, ...rest } = field;
  if (Array.isArray(oneOf)) {
    const options = oneOf.filter(isRecord);
    return {
      ...rest,
      enum: options.map((option) => option.const),
      enumNames: options.map((option) => option.title ?? option.const),
    };
  }
  return field.type === 'boolean' && fallback !== undefined ? { ...rest, default: fallback } : rest;
}

/** A choice of several becomes a line of text that `decodeBasicAnswer` splits again. */
function multiSelectAsText(field: JsonObject): JsonObject {
  const choices = multiSelectChoices(field);
  const hint = `Comma-separated, any of: ${choices.join(', ')}`;
  const description = typeof field.description === 'string' ? `${field.description} (${hint})` : hint;
  return { type: 'string', ...(field.title === undefined ? {} : { title: field.title }), description };
}

function multiSelectChoices(field: JsonObject): string[] {
  const items = isRecord(field.items) ? field.items : {};
  if (Array.isArray(items.enum)) return items.enum.map(String);
  if (Array.isArray(items.anyOf)) return items.anyOf.filter(isRecord).map((option) => String(option.const));
  return [];
}

/** An answer to the basic form, put back into the shape that the handler's schema expects. */
export function decodeAnswer(
  revision: Revision,
  method: string,
  params: JsonObject,
  answer: JsonObject,
): JsonObject {
  if (method !== 'elicitation/create' || revision.elicitation !== 'basic_form') return answer;
  const schema = params.requestedSchema;
  if (!isRecord(answer.content) || !isRecord(schema) || !isRecord(schema.properties)) return answer;
  const content = { ...answer.content };
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = content[name];
    if (!isRecord(field)) continue;
    if (field.type === 'array' && typeof value === 'string') {
      content[name] = value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
    }
    if (value === undefined && field.default !== undefined) content[name] = field.default;
  }
  return { ...answer, content };
}
