/** Who we say we are, and what we can do for a server. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Revision } from '../../protocol/revisions/revision.js';
import { PLUMB_VERSION } from '../../protocol/version.js';
import { validArguments } from '../generate/arguments.js';

export const CLIENT_INFO: JsonObject = { name: 'plumb-validate', version: PLUMB_VERSION };

/** Everything that the revision knows, so that servers show all that they have. */
export function fullCapabilities(revision: Revision): JsonObject {
  const stateless = revision.lifecycle === 'stateless';
  const capabilities: JsonObject = {
    roots: stateless ? {} : { listChanged: true },
    sampling: revision.samplingTools ? { tools: {}, context: {} } : {},
  };
  if (revision.elicitation === 'basic_form') capabilities.elicitation = {};
  if (revision.elicitation === 'form_and_url') capabilities.elicitation = { form: {}, url: {} };
  if (stateless) capabilities.extensions = { 'io.modelcontextprotocol/tasks': {} };
  return capabilities;
}

/** How we answer what a server asks: the same for a request of the handshake era and an embedded one. */
export function answerTo(method: string, params: JsonObject): JsonObject | undefined {
  switch (method) {
    case 'ping':
      return {};
    case 'roots/list':
      return { roots: [{ uri: 'file:///tmp/plumb-validate', name: 'plumb-validate' }] };
    case 'sampling/createMessage':
      return {
        role: 'assistant',
        content: { type: 'text', text: 'A plumb line is a weight on a string.' },
        model: 'plumb-validate',
        stopReason: 'endTurn',
      };
    case 'elicitation/create':
      return params.mode === 'url'
        ? { action: 'accept' }
        : { action: 'accept', content: formContent(params.requestedSchema) };
    default:
      return undefined;
  }
}

/** Required fields, and those with defaults: what a person who presses Enter would send. */
function formContent(schema: unknown): JsonObject {
  const content = validArguments(schema);
  if (!isRecord(schema) || !isRecord(schema.properties)) return content;
  for (const [name, property] of Object.entries(schema.properties)) {
    if (isRecord(property) && 'default' in property && !(name in content)) content[name] = property.default;
  }
  return content;
}
