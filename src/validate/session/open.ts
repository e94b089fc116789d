/** Opens a session the way a correct client does, or stops half way for checks that want to go on alone. */

import type { JsonObject } from '../../jsonrpc/message.js';
import { SESSION_HEADER, VERSION_HEADER } from '../../protocol/mirrored-headers.js';
import type { Revision } from '../../protocol/revisions/revision.js';
import { connect, type ValidationTarget } from '../target.js';
import type { Delivery } from '../wire/connection.js';
import { HttpConnection, SSE_TYPE } from '../wire/http-connection.js';
import type { Recorder } from '../wire/recorder.js';
import type { WireReply } from './reply.js';
import { ValidatorSession, type ValidatorSessionOptions } from './session.js';

export interface OpenSessionOptions {
  readonly capabilities?: JsonObject;
  readonly clientInfo?: JsonObject;
  readonly answer?: ValidatorSessionOptions['answer'];
  /** `none` only connects; `initialize` leaves `notifications/initialized` out. */
  readonly handshake?: 'full' | 'initialize' | 'none';
  /** The version to propose, where it is not the revision's own. */
  readonly version?: string;
  /** `numbers` counts ids from 0, as most clients do. Default: texts that are unique in the run. */
  readonly ids?: 'numbers' | 'texts';
  /** Whether to open the stream for unsolicited messages; default: yes. */
  readonly standalone?: boolean;
}

export interface Opened {
  readonly session: ValidatorSession;
  /** Over HTTP: how `notifications/initialized` was taken. */
  readonly initialized?: Delivery | undefined;
  /** The answer to `initialize`; undefined in the stateless era. */
  readonly greeting: WireReply | undefined;
  readonly standalone: Delivery | undefined;
}

export interface Opening {
  readonly target: ValidationTarget;
  readonly recorder: Recorder;
  readonly revision: Revision;
  readonly timeoutMs: number;
}

export async function openSession(opening: Opening, options: OpenSessionOptions = {}): Promise<Opened> {
  const { target, recorder, revision, timeoutMs } = opening;
  const connection = await connect(target, recorder, timeoutMs);
  const { capabilities, clientInfo, answer } = options;
  const session = new ValidatorSession({
    revision,
    connection,
    timeoutMs,
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(clientInfo === undefined ? {} : { clientInfo }),
    ...(answer === undefined ? {} : { answer }),
    ids: options.ids ?? 'texts',
  });
  if (session.stateless || options.handshake === 'none') {
    return { session, greeting: undefined, standalone: undefined };
  }
  const greeting = await initialize(session, options.version ?? revision.version);
  if (options.handshake === 'initialize' || greeting.kind !== 'result') {
    return { session, greeting, standalone: undefined };
  }
  // A server that does not take it in time may still serve: what follows shows it.
  const initialized = await session.notify('notifications/initialized').catch(() => undefined);
  const standalone = options.standalone === false ? undefined : await openStandalone(session);
  return { session, greeting, standalone, initialized };
}

export async function initialize(session: ValidatorSession, version: string): Promise<WireReply> {
  const params = {
    protocolVersion: version,
    capabilities: session.capabilities,
    clientInfo: session.clientInfo,
  };
  const greeting = await session.request('initialize', params);
  const { connection, revision } = session;
  if (connection instanceof HttpConnection && greeting.kind === 'result') {
    const id = greeting.delivery?.headers[SESSION_HEADER];
    if (id !== undefined) connection.standing[SESSION_HEADER] = id;
    if (revision.http.versionHeader === 'after_initialize') connection.standing[VERSION_HEADER] = version;
  }
  return greeting;
}

/** The GET stream, where the server has one. */
export async function openStandalone(session: ValidatorSession): Promise<Delivery | undefined> {
  const { connection } = session;
  if (!(connection instanceof HttpConnection)) return undefined;
  try {
    const headers = { accept: SSE_TYPE, ...connection.standing };
    const delivery = await connection.fetch({ method: 'GET', headers });
    if (delivery.status === 200 && delivery.contentType === SSE_TYPE) return delivery;
    delivery.abort();
  } catch {
    // No stream is an answer too; the check of GET reports it.
  }
  return undefined;
}
