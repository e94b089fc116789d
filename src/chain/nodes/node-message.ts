/**
 * What the nodes of a chain write to each other while one of them works on something that came to another: the front
 * has the client, the owner has the connection to the server or the parked call.
 */

import { type ErrorObject, isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { McpError, ProtocolError } from '../../protocol/errors.js';
import type { LogLevel } from '../../protocol/model/logging.js';
import { findRevision } from '../../protocol/revisions/index.js';
import { Session } from '../../server/session.js';
import type { SessionChange } from '../../store/store.js';

/** A session as it stood when the request came in. */
export interface SessionSnapshot {
  readonly id: string;
  readonly version: string;
  readonly clientInfo: Session['clientInfo'];
  readonly capabilities: Session['capabilities'];
  readonly principal: string | undefined;
  readonly logLevel: LogLevel;
  readonly ready: boolean;
  readonly subscriptions: readonly string[];
}

export type WorkRequest =
  | {
      readonly kind: 'call' | 'notification';
      readonly method: string;
      readonly params: JsonObject;
      readonly session: SessionSnapshot;
    }
  | { readonly kind: 'resume'; readonly parked: string; readonly principal: string | undefined };

interface Ask {
  readonly type: 'ask';
  readonly key: string;
  readonly method: string;
  readonly params: JsonObject;
}

/** What is said in an exchange; `id` names the exchange. */
export type MessageBody =
  | { readonly type: 'request'; readonly from: string; readonly request: WorkRequest }
  | { readonly type: 'answer'; readonly key: string; readonly answer: JsonObject }
  | { readonly type: 'refusal'; readonly key: string; readonly error: ErrorObject | 'suspended' }
  | { readonly type: 'cancel'; readonly reason: string }
  | Ask
  | { readonly type: 'notify'; readonly method: string; readonly params: JsonObject }
  | {
      readonly type: 'progress';
      readonly progress: number;
      readonly total: number | undefined;
      readonly message: string | undefined;
    }
  | { readonly type: 'done'; readonly result: JsonObject; readonly change: SessionChange | undefined }
  | { readonly type: 'failed'; readonly error: ErrorObject | 'suspended' | 'absent' };

export type NodeMessage = MessageBody & { readonly id: string };

const TYPES: ReadonlySet<unknown> = new Set<MessageBody['type']>([
  'request',
  'answer',
  'refusal',
  'cancel',
  'ask',
  'notify',
  'progress',
  'done',
  'failed',
]);

/** Undefined for what a newer node may say and this one does not understand. */
export function parseNodeMessage(text: string): NodeMessage | undefined {
  const value: unknown = JSON.parse(text);
  return isNodeMessage(value) ? value : undefined;
}

/** Only nodes of the service write to its store. */
function isNodeMessage(value: unknown): value is NodeMessage {
  return isRecord(value) && typeof value.id === 'string' && TYPES.has(value.type);
}

export function snapshotOf(session: Session, id: string): SessionSnapshot {
  const { revision, clientInfo, capabilities, principal, logLevel, ready, subscriptions } = session;
  return {
    id,
    version: revision.version,
    clientInfo,
    capabilities,
    principal,
    logLevel,
    ready,
    subscriptions: [...subscriptions],
  };
}

export function sessionOf(snapshot: SessionSnapshot): Session {
  const { id, version, clientInfo, capabilities, principal, logLevel, ready, subscriptions } = snapshot;
  const revision = findRevision(version);
  if (revision === undefined) throw new ProtocolError('internal_error', 'The nodes of this chain differ');
  const session = new Session({ revision, clientInfo, capabilities, principal, sessionId: id });
  session.adopt({ logLevel, ready, subscriptions });
  return session;
}

export function errorObjectOf(error: unknown): ErrorObject {
  if (error instanceof ProtocolError) return error.toErrorObject();
  if (error instanceof McpError && error.cause instanceof ProtocolError) return error.cause.toErrorObject();
  return new ProtocolError('internal_error', 'Internal error').toErrorObject();
}

/** Another node could not do what was asked of it. */
export class NodeAbsent extends McpError<'node_absent'> {
  /** Whether it may have begun. */
  readonly begun: boolean;

  constructor(begun: boolean) {
    super('node_absent', 'The node that this was addressed to has stopped');
    this.begun = begun;
  }
}
