/** What this client declares, and what the server's declaration allows. */

import { tasksExtension } from '../../extensions/tasks/definition.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { McpError } from '../../protocol/errors.js';
import type { ClientCapabilities, ServerCapabilities } from '../../protocol/model/capabilities.js';
import type { Revision } from '../../protocol/revisions/index.js';
import { encodeClientCapabilities } from '../../protocol/revisions/results.js';
import { notSupported } from '../errors.js';
import type { AskHandlers } from '../input/asks.js';

/** A handler is the declaration: a client with a handler supports the capability. */
export function declaredCapabilities(
  handlers: AskHandlers,
  extras: Pick<ClientCapabilities, 'experimental' | 'extensions'>,
  tasks = true,
): ClientCapabilities {
  const capabilities: ClientCapabilities = { ...extras };
  if (handlers.roots !== undefined) capabilities.roots = { listChanged: true };
  if (handlers.sample !== undefined)
    capabilities.sampling = handlers.sampleTools === true ? { tools: {} } : {};
  if (handlers.elicit !== undefined) {
    capabilities.elicitation = {};
    for (const mode of handlers.elicitModes ?? ['form', 'url']) capabilities.elicitation[mode] = {};
  }
  if (tasks && (handlers.sample ?? handlers.elicit) !== undefined) {
    const sampling = handlers.sample === undefined ? {} : { sampling: { createMessage: {} } };
    const elicitation = handlers.elicit === undefined ? {} : { elicitation: { create: {} } };
    capabilities.tasks = { list: {}, cancel: {}, requests: { ...sampling, ...elicitation } };
  }
  return capabilities;
}

/** The declaration as a server of this revision reads it. */
export function capabilitiesFor(revision: Revision, declared: ClientCapabilities): ClientCapabilities {
  // The first elicitation knew forms only, and an empty object would promise them.
  const known = revision.tasks === 'extension' ? declared : withoutTasks(declared);
  const formless = declared.elicitation !== undefined && declared.elicitation.form === undefined;
  if (!formless || revision.elicitation === 'form_and_url') return encodeClientCapabilities(revision, known);
  const { elicitation: _, ...rest } = known;
  return encodeClientCapabilities(revision, rest);
}

/** In other revisions tasks are no extension. */
function withoutTasks(declared: ClientCapabilities): ClientCapabilities {
  if (declared.extensions?.[tasksExtension.id] === undefined) return declared;
  const { extensions, ...rest } = declared;
  const { [tasksExtension.id]: _, ...others } = extensions;
  return Object.keys(others).length === 0 ? rest : { ...rest, extensions: others };
}

const AREAS = [
  'tools',
  'resources',
  'prompts',
  'completions',
  'logging',
  'experimental',
  'extensions',
  'tasks',
];

/** Capabilities as the server sent them; `true` for an area is taken for an empty object, other noise is dropped. */
export function parseServerCapabilities(value: unknown): ServerCapabilities {
  const capabilities: JsonObject = isRecord(value) ? { ...value } : {};
  for (const area of AREAS) {
    const declared = capabilities[area];
    if (declared === true) capabilities[area] = {};
    else if (!isRecord(declared)) delete capabilities[area];
  }
  return capabilities;
}

export type ServerFeature = 'tools' | 'resources' | 'prompts' | 'completions' | 'logging';

/** Why a feature cannot be used, if so. `undefined` capabilities are unknown ones: then the server decides. */
export function undeclared(
  revision: Revision,
  capabilities: ServerCapabilities | undefined,
  feature: ServerFeature,
): McpError<'not_supported'> | undefined {
  if (capabilities === undefined || capabilities[feature] !== undefined) return undefined;
  // The first revision had no such declaration, so its absence says nothing.
  if (feature === 'completions' && !revision.reads.serverCapabilities.includes('completions'))
    return undefined;
  return notSupported(
    `The server does not declare the "${feature}" capability`,
    `look at client.capabilities before using client.${AREA_OF[feature]}`,
  );
}

/** Why changes of single resources cannot be subscribed to, if so. */
export function unsubscribable(
  capabilities: ServerCapabilities | undefined,
): McpError<'not_supported'> | undefined {
  if (capabilities === undefined || capabilities.resources?.subscribe === true) return undefined;
  return notSupported(
    'The server does not declare "resources.subscribe"',
    'read the resource again when in doubt',
  );
}

const AREA_OF: Readonly<Record<ServerFeature, string>> = {
  tools: 'tools',
  resources: 'resources',
  prompts: 'prompts',
  completions: 'completion',
  logging: 'logging',
};
