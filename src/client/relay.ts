/**
 * A client for forwarding: requests carry the identity of the downstream caller, questions of the server go
 * back to the caller that they belong to, and results are passed through unchanged.
 */

import { unbroken } from '../framing/ndjson.js';
import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { Cancellation } from '../protocol/cancellation.js';
import { HEADER_MISMATCH, ProtocolError } from '../protocol/errors.js';
import type { ListKind } from '../protocol/list-kind.js';
import type { ClientCapabilities } from '../protocol/model/capabilities.js';
import type { Revision } from '../protocol/revisions/index.js';
import { type Answer, ResultText, resultOf } from '../protocol/revisions/result-text.js';
import type { CloseReason } from '../transports/transport.js';
import { Client } from './client.js';
import type { ConnectionOwner } from './connection/connection.js';
import type { OutgoingCall } from './connection/outgoing-call.js';
import { Core } from './core.js';
import type { ServerNotification } from './events.js';
import { type CallOptions, type ConnectOptions, completeSettings, type Sender } from './options.js';
import type { Target } from './target.js';

export interface RelayOptions extends Omit<ConnectOptions, 'capabilities' | 'elicit' | 'sample' | 'roots'> {
  /** What is declared to a server that wants to know before the first call. */
  readonly capabilities: ClientCapabilities;
  /** Answers the server's questions; `context.call.owner` is that of the request, where it is known. */
  readonly answer: ConnectionOwner['answer'];
  /** Receives every notification of the server. */
  readonly onNotification?: (notification: ServerNotification) => unknown;
  /** Called when the connection is over. */
  readonly onClose?: (reason: CloseReason) => unknown;
  /** A list of the server has changed, or may have. */
  readonly onChanged?: (kind: ListKind) => unknown;
}

export interface RelayedRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly sender: Sender | undefined;
  readonly owner: unknown;
  readonly options: CallOptions;
  readonly cancellation?: Cancellation | undefined;
  /** The params as they were written, where nothing in them has changed. */
  readonly paramsText?: string | undefined;
}

export class Relay {
  readonly client: Client;
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
    this.client = new Client(core);
  }

  get revision(): Revision {
    return this.#core.connection.era.session.revision;
  }

  /** `undefined` when the server would not say. */
  get isDeclared(): boolean {
    return this.#core.connection.era.session.capabilities !== undefined;
  }

  /** The result as the server sent it, also one that asks for input. */
  request(request: RelayedRequest): Promise<JsonObject> {
    return this.#send(outgoing(request));
  }

  /** The same for a caller that hands the result on: the text of it, where it can be cut out of the message. */
  pass(request: RelayedRequest): Promise<Answer> {
    // Tracing needs the outcome of each call.
    if (this.#core.settings.telemetry !== undefined) return this.request(request);
    const { revision } = this;
    const readText = (text: string): Answer => new ResultText(unbroken(text), revision);
    return this.#send<Answer>({ ...outgoing(request), readText });
  }

  /** Without headers that repeat arguments there is nothing to do but to send it. */
  #send<T extends Answer>(call: OutgoingCall<T>): Promise<T> {
    const core = this.#core;
    return core.isReady && !core.mirrorsArguments ? core.request(call) : this.#mirrored(call);
  }

  async #mirrored<T extends Answer>(call: OutgoingCall<T>): Promise<T> {
    const core = this.#core;
    const { method, options } = call;
    if (method === 'tools/list' && core.mirrorsArguments) {
      const answer = await core.request(call);
      learn(core, resultOf(answer));
      return answer;
    }
    if (method !== 'tools/call' || !core.mirrorsArguments) return core.request(call);
    try {
      return await core.request(mirrored(core, call));
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.rpcCode !== HEADER_MISMATCH) throw error;
      // The server wants other headers than we know of, and has done nothing yet: ask it which, and try once more.
      await this.client.tools.list({ signal: options.signal, cache: 'reload' });
      return core.request(mirrored(core, call));
    }
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** Lists that pass by teach which arguments have to travel in headers. */
function learn(core: Core, result: JsonObject): void {
  if (!Array.isArray(result.tools)) return;
  const tools = result.tools.filter((tool) => isRecord(tool) && typeof tool.name === 'string');
  core.argumentHeaders.learn(tools);
}

function mirrored<T>(core: Core, call: OutgoingCall<T>): OutgoingCall<T> {
  const { name, arguments: args } = call.params;
  const headers = core.argumentHeaders.of(String(name), isRecord(args) ? args : {});
  return headers === undefined ? call : { ...call, headers };
}

function outgoing({ method, params, paramsText, sender, owner, options, cancellation }: RelayedRequest) {
  return {
    method,
    params,
    options,
    raw: true,
    interim: true,
    sender,
    owner,
    cancellation,
    paramsText,
    read: asItIs,
  } satisfies OutgoingCall<JsonObject>;
}

function asItIs(result: JsonObject): JsonObject {
  return result;
}

export async function connectRelay(target: Target, options: RelayOptions): Promise<Relay> {
  const { capabilities, answer, onClose, onChanged, ...rest } = options;
  // The owner of the relay decides when to connect again.
  const { recover = false } = rest;
  const core = new Core(
    target,
    { ...(await completeSettings({ ...rest, recover }, target)), capabilities },
    rest,
    answer,
  );
  if (onClose !== undefined) core.on('close', onClose);
  if (onChanged !== undefined) {
    // Before the connection is there, so that one subscription is enough.
    core.on('toolsChanged', () => onChanged('tools'));
    core.on('promptsChanged', () => onChanged('prompts'));
    core.on('resourcesChanged', () => onChanged('resources'));
  }
  await core.driver.connect(rest.signal);
  return new Relay(core);
}
