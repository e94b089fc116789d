/** Params of requests and notifications, by method, as each revision writes them. */

import type { Revision } from '../../protocol/revisions/revision.js';
import * as items from './items.js';
import { task } from './results.js';
import {
  anything,
  array,
  type Fields,
  id,
  integer,
  map,
  number,
  object,
  oneOf,
  record,
  type ShapeCheck,
  string,
  tagged,
  uri,
  within,
} from './shape.js';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

function notifications(revision: Revision): [string, ShapeCheck][] {
  const requestId: Fields = { requestId: id };
  const mayOmitId = revision.elicitationId;
  return [
    [
      'notifications/progress',
      object({ progressToken: id, progress: number }, { total: number, message: string }),
    ],
    [
      'notifications/cancelled',
      mayOmitId ? object({}, { ...requestId, reason: string }) : object(requestId, { reason: string }),
    ],
  ];
}

/** What a server sends by itself. */
export function serverNotifications(revision: Revision): ReadonlyMap<string, ShapeCheck> {
  const interest = object(
    {},
    {
      toolsListChanged: anything,
      promptsListChanged: anything,
      resourcesListChanged: anything,
      resourceSubscriptions: array(string),
    },
  );
  return new Map<string, ShapeCheck>([
    ...notifications(revision),
    ['notifications/message', object({ level: oneOf(...LEVELS), data: anything }, { logger: string })],
    ['notifications/resources/updated', object({ uri })],
    ['notifications/elicitation/complete', object({ elicitationId: string })],
    ['notifications/tasks/status', task],
    ['notifications/subscriptions/acknowledged', object({ notifications: interest })],
  ]);
}

/** What a server asks of its client, as a request or embedded in a result. */
export function serverRequests(revision: Revision): ReadonlyMap<string, ShapeCheck> {
  const block = items.samplingBlock(revision);
  const content: ShapeCheck = revision.samplingTools
    ? (value, path, issues) => (Array.isArray(value) ? array(block) : block)(value, path, issues)
    : block;
  const message = object({ role: oneOf('user', 'assistant'), content });
  const preferences = object(
    {},
    {
      hints: array(object({}, { name: string })),
      costPriority: within(0, 1),
      speedPriority: within(0, 1),
      intelligencePriority: within(0, 1),
    },
  );
  const sampling = object(
    { messages: array(message), maxTokens: integer },
    {
      modelPreferences: preferences,
      systemPrompt: string,
      includeContext: oneOf('none', 'thisServer', 'allServers'),
      temperature: number,
      stopSequences: array(string),
      metadata: record,
      ...(revision.samplingTools
        ? {
            tools: array(items.tool(revision)),
            toolChoice: object({}, { mode: oneOf('auto', 'required', 'none') }),
          }
        : {}),
    },
  );
  const form = object({
    message: string,
    requestedSchema: object({ type: oneOf('object'), properties: record }),
  });
  const url = object({
    message: string,
    url: uri,
    ...(revision.elicitationId ? { elicitationId: string } : {}),
  });
  const elicitation: ShapeCheck =
    revision.elicitation === 'form_and_url'
      ? (value, path, issues) => {
          const mode =
            typeof value === 'object' && value !== null && 'mode' in value ? value.mode : undefined;
          if (mode === undefined) form(value, path, issues);
          else tagged('mode', { form, url })(value, path, issues);
        }
      : form;
  return new Map<string, ShapeCheck>([
    ['sampling/createMessage', sampling],
    ['elicitation/create', elicitation],
  ]);
}

/** What a client sends. */
export function clientRequests(revision: Revision): ReadonlyMap<string, ShapeCheck> {
  const reference = tagged('type', {
    'ref/prompt': object({ name: string }),
    'ref/resource': object({ uri: string }),
  });
  const completion = object(
    { ref: reference, argument: object({ name: string, value: string }) },
    revision.reads.completeParams.includes('context')
      ? { context: object({}, { arguments: map(string) }) }
      : {},
  );
  const list = object({}, { cursor: string });
  return new Map<string, ShapeCheck>([
    [
      'initialize',
      object({ protocolVersion: string, capabilities: record, clientInfo: items.implementation(revision) }),
    ],
    ['tools/list', list],
    ['prompts/list', list],
    ['resources/list', list],
    ['resources/templates/list', list],
    ['tools/call', object({ name: string }, { arguments: record })],
    ['prompts/get', object({ name: string }, { arguments: map(string) })],
    ['resources/read', object({ uri })],
    ['resources/subscribe', object({ uri })],
    ['resources/unsubscribe', object({ uri })],
    ['logging/setLevel', object({ level: oneOf(...LEVELS) })],
    ['completion/complete', completion],
    ['subscriptions/listen', object({ notifications: record })],
  ]);
}

export function clientNotifications(revision: Revision): ReadonlyMap<string, ShapeCheck> {
  return new Map(notifications(revision));
}
