/** Results of requests, by method, as each revision writes them. */

import type { Revision } from '../../protocol/revisions/revision.js';
import * as items from './items.js';
import {
  anything,
  array,
  boolean,
  both,
  expects,
  type Fields,
  integer,
  map,
  number,
  object,
  oneOf,
  record,
  type ShapeCheck,
  string,
} from './shape.js';

const timestamp = expects(
  'an ISO 8601 time',
  (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
);
const ttl = expects('a number or null', (value) => value === null || typeof value === 'number');

/** A task of the core protocol. */
export const task: ShapeCheck = object(
  {
    taskId: string,
    status: oneOf('working', 'input_required', 'completed', 'failed', 'cancelled'),
    createdAt: timestamp,
    lastUpdatedAt: timestamp,
    ttl,
  },
  { statusMessage: string, pollInterval: number },
);

const page: Fields = { nextCursor: string };

function serverCapabilities(revision: Revision): ShapeCheck {
  const listed = object({}, { listChanged: boolean });
  return object(
    {},
    {
      experimental: map(record),
      logging: record,
      prompts: listed,
      resources: object({}, { listChanged: boolean, subscribe: boolean }),
      tools: listed,
      ...(revision.reads.serverCapabilities.includes('completions') ? { completions: record } : {}),
      ...(revision.lifecycle === 'stateless' ? { extensions: map(record) } : {}),
    },
  );
}

/** What a server answers, by the method of the request. */
export function serverResults(revision: Revision): ReadonlyMap<string, ShapeCheck> {
  const list = (field: string, item: ShapeCheck): ShapeCheck => object({ [field]: array(item) }, page);
  const message = object({ role: oneOf('user', 'assistant'), content: items.contentBlock(revision) });
  const completion = object({ values: array(string, 100) }, { total: integer, hasMore: boolean });
  const structured: Fields =
    revision.structuredContent === 'none'
      ? {}
      : { structuredContent: revision.structuredContent === 'object' ? record : anything };
  // Tasks of the stateless era are an extension, with shapes of their own.
  const coreTasks: [string, ShapeCheck][] =
    revision.lifecycle === 'stateless'
      ? []
      : [
          ['tasks/get', task],
          ['tasks/cancel', task],
          ['tasks/list', object({ tasks: array(task) }, page)],
        ];
  const shapes: [string, ShapeCheck][] = [
    [
      'initialize',
      object(
        {
          protocolVersion: string,
          capabilities: serverCapabilities(revision),
          serverInfo: items.implementation(revision),
        },
        { instructions: string },
      ),
    ],
    [
      'server/discover',
      object(
        { supportedVersions: array(string), capabilities: serverCapabilities(revision) },
        { instructions: string },
      ),
    ],
    ['tools/list', list('tools', items.tool(revision))],
    ['resources/list', list('resources', items.resource(revision))],
    ['resources/templates/list', list('resourceTemplates', items.resourceTemplate(revision))],
    ['prompts/list', list('prompts', items.prompt(revision))],
    [
      'tools/call',
      object({ content: array(items.contentBlock(revision)) }, { isError: boolean, ...structured }),
    ],
    ['resources/read', object({ contents: array(items.resourceContents(revision)) })],
    ['prompts/get', object({ messages: array(message) }, { description: string })],
    ['completion/complete', object({ completion })],
    ...coreTasks,
  ];
  const meta = object({}, { _meta: record });
  return new Map(shapes.map(([method, shape]) => [method, both(shape, meta)]));
}

/** What a client answers a server that asks. */
export function clientResults(revision: Revision): ReadonlyMap<string, ShapeCheck> {
  const block = items.samplingBlock(revision);
  const content: ShapeCheck = revision.samplingTools
    ? (value, path, issues) => (Array.isArray(value) ? array(block) : block)(value, path, issues)
    : block;
  const answer = expects(
    revision.elicitation === 'form_and_url'
      ? 'a string, a number, a boolean or an array of strings'
      : 'a string, a number or a boolean',
    (value) =>
      ['string', 'number', 'boolean'].includes(typeof value) ||
      (revision.elicitation === 'form_and_url' &&
        Array.isArray(value) &&
        value.every((item) => typeof item === 'string')),
  );
  const root = object({ uri: string }, { name: string });
  return new Map<string, ShapeCheck>([
    [
      'sampling/createMessage',
      object({ role: oneOf('user', 'assistant'), content, model: string }, { stopReason: string }),
    ],
    ['roots/list', object({ roots: array(root) })],
    [
      'elicitation/create',
      object({ action: oneOf('accept', 'decline', 'cancel') }, { content: map(answer) }),
    ],
  ]);
}
