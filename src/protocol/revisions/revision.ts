/**
 * One entry for each published revision of the protocol. Everything that differs between revisions is a
 * field here; the rest of the code asks the entry and never compares versions.
 */

import { INVALID_REQUEST } from '../../jsonrpc/codes.js';
import type { ErrorObject } from '../../jsonrpc/message.js';
import { type ProtocolError, URL_ELICITATION_REQUIRED } from '../errors.js';

export interface Revision {
  readonly version: string;

  /** `handshake`: initialize opens a session. `stateless`: every request carries its own envelope in `_meta`. */
  readonly lifecycle: 'handshake' | 'stateless';

  /** Methods by sender. A method that is absent here does not exist for a peer of this revision. */
  readonly clientRequests: ReadonlySet<string>;
  readonly clientNotifications: ReadonlySet<string>;
  readonly serverRequests: ReadonlySet<string>;
  readonly serverNotifications: ReadonlySet<string>;

  /** What a server may ask of the client while it handles a call, and how the question travels. */
  readonly asks: ReadonlySet<string>;
  readonly askBy: 'server_request' | 'input_required';
  /** Client requests whose handlers may ask; empty means any. */
  readonly askableMethods: ReadonlySet<string>;

  readonly batching: 'accepted' | 'refused';
  /** The id of an error that answers a request whose id could not be read. */
  readonly unreadableId: 'null' | 'omitted';
  /** Whether bad tool arguments are a JSON-RPC error or a tool result that the model can read. */
  readonly invalidArguments: 'error' | 'tool_result';
  readonly resourceNotFoundCode: number;
  /** Whether a missing client capability has a code of its own, or is a plain refusal. */
  readonly missingCapabilityCode: number;
  /** Results that carry `ttlMs` and `cacheScope`. */
  readonly cacheable: ReadonlySet<string>;
  /** How the server's list changes and resource updates reach the client. */
  readonly changes: 'unsolicited' | 'listen';
  /** How calls become tasks: part of the protocol, by an extension, or not at all. */
  readonly tasks: 'none' | 'core' | 'extension';
  /** Log messages follow `logging/setLevel`, or the level that each request carries. */
  readonly logLevel: 'session' | 'request';

  readonly structuredContent: 'none' | 'object' | 'any';
  readonly elicitation: 'none' | 'basic_form' | 'form_and_url';
  /** URL elicitations carry an id that `notifications/elicitation/complete` refers to. */
  readonly elicitationId: boolean;
  readonly samplingTools: boolean;
  /** Content block types that a peer of this revision can read. */
  readonly contentTypes: ReadonlySet<string>;
  /** Fields that came (or went) with a revision, by shape; fields in no table are in all revisions. */
  readonly reads: Vocabulary;

  readonly http: HttpRules;
}

/** Shapes with fields that not every revision has. */
export type RevisedShape =
  | 'implementation'
  | 'serverCapabilities'
  | 'clientCapabilities'
  | 'rootsCapability'
  | 'samplingCapability'
  | 'elicitationCapability'
  | 'tool'
  | 'resource'
  | 'resourceTemplate'
  | 'resourceContents'
  | 'prompt'
  | 'promptArgument'
  | 'content'
  | 'annotations'
  | 'root'
  | 'progress'
  | 'completeParams'
  | 'promptReference'
  | 'samplingParams'
  | 'callParams'
  | 'cacheHints';

export type Vocabulary = Readonly<Record<RevisedShape, readonly string[]>>;

export interface HttpRules {
  readonly transport: 'sse' | 'streamable';
  /** `Mcp-Session-Id`, the GET stream, DELETE and resumption. */
  readonly sessions: boolean;
  readonly versionHeader: 'none' | 'after_initialize' | 'every_request';
  /** `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` mirror the body. */
  readonly mirroredHeaders: boolean;
  /** SSE streams open with an event that has an id and no data, and the server may close them early. */
  readonly polling: boolean;
  readonly disconnect: 'continues' | 'cancels';
  /** Status of a JSON-RPC error answer, by error code; 200 where absent. */
  readonly errorStatus: ReadonlyMap<number, number>;
}

export type RevisionChanges = Partial<Omit<Revision, 'version' | 'reads' | 'http'>> & {
  readonly version: string;
  /** Fields added to (or, with a leading `-`, removed from) what the revision before reads. */
  readonly reads?: Partial<Record<RevisedShape, readonly string[]>>;
  readonly http?: Partial<HttpRules>;
};

/** The next revision: the one before with its changes. */
export function derive(before: Revision, changes: RevisionChanges): Revision {
  const reads: Record<RevisedShape, readonly string[]> = { ...before.reads };
  for (const [shape, edits] of Object.entries(changes.reads ?? {}) as [RevisedShape, readonly string[]][]) {
    const removed = new Set(edits.filter((edit) => edit.startsWith('-')).map((edit) => edit.slice(1)));
    const added = edits.filter((edit) => !edit.startsWith('-'));
    reads[shape] = [...before.reads[shape].filter((field) => !removed.has(field)), ...added];
  }
  return { ...before, ...changes, reads, http: { ...before.http, ...changes.http } };
}

export function plus<T>(before: ReadonlySet<T>, ...added: readonly T[]): ReadonlySet<T> {
  return new Set([...before, ...added]);
}

/** The error object with the number that this revision gives to its meaning. */
export function errorFor(revision: Revision, error: ProtocolError): ErrorObject {
  const object = error.toErrorObject();
  if (error.code === 'resource_not_found') return { ...object, code: revision.resourceNotFoundCode };
  if (error.code === 'missing_capability') return { ...object, code: revision.missingCapabilityCode };
  // The code came with the ids of URL elicitations and went with them.
  if (object.code === URL_ELICITATION_REQUIRED && !revision.elicitationId)
    return { ...object, code: INVALID_REQUEST };
  return object;
}
