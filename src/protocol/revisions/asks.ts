/** A server's questions (elicitation, sampling, roots) as a client of a given revision understands them. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { ClientCapabilities } from '../model/capabilities.js';
import type { SamplingContent } from '../model/content.js';
import type { CreateMessageParams, SamplingMessage } from '../model/sampling.js';
import { withAnnotations } from './content.js';
import { encodeTool } from './results.js';
import type { Revision } from './revision.js';
import { readable } from './vocabulary.js';

/** Why a question cannot be put to this client: the capability that it would have to declare. */
export type AskObstacle = { readonly required: ClientCapabilities; readonly reason: string };

/** The capability that is missing for this question, if any. */
export function askObstacle(
  revision: Revision,
  capabilities: ClientCapabilities,
  method: string,
  params: JsonObject,
): AskObstacle | undefined {
  const required = requiredCapability(revision, method, params);
  if (required === undefined)
    return { required: {}, reason: `${method} does not exist in ${revision.version}` };
  if (!revision.asks.has(method) || !knows(revision, params)) {
    return { required, reason: `${method} does not exist in protocol revision ${revision.version}` };
  }
  if (declares(capabilities, required)) return undefined;
  return { required, reason: `The client did not declare the capability that ${method} needs` };
}

/** Whether the revision has this form of the question, whatever a client of it declares. */
function knows(revision: Revision, params: JsonObject): boolean {
  if (params.mode === 'url') return revision.elicitation === 'form_and_url';
  return revision.samplingTools || (params.tools === undefined && params.toolChoice === undefined);
}

function requiredCapability(
  revision: Revision,
  method: string,
  params: JsonObject,
): ClientCapabilities | undefined {
  switch (method) {
    case 'roots/list':
      return { roots: {} };
    case 'sampling/createMessage':
      return params.tools === undefined && params.toolChoice === undefined
        ? { sampling: {} }
        : { sampling: { tools: {} } };
    case 'elicitation/create':
      if (params.mode === 'url') return { elicitation: { url: {} } };
      return revision.elicitation === 'form_and_url' ? { elicitation: { form: {} } } : { elicitation: {} };
    default:
      return undefined;
  }
}

/** Whether the declared capabilities cover the required ones. `elicitation: {}` stands for form mode alone. */
export function declares(declared: ClientCapabilities, required: ClientCapabilities): boolean {
  return covers(normalised(declared), required as JsonObject);
}

function normalised(declared: ClientCapabilities): JsonObject {
  // What the client declared came off the wire: it need not be the object that the type promises.
  const elicitation: unknown = declared.elicitation;
  if (!isRecord(elicitation) || elicitation.form !== undefined || elicitation.url !== undefined) {
    return declared as JsonObject;
  }
  return { ...declared, elicitation: { ...elicitation, form: {} } };
}

function covers(declared: JsonObject, required: JsonObject): boolean {
  return Object.entries(required).every(([key, need]) => {
    const have = declared[key];
    if (have === undefined || have === false || have === null) return false;
    return !isRecord(need) || (isRecord(have) ? covers(have, need) : Object.keys(need).length === 0);
  });
}

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
