/**
 * Answers to the server's questions (elicitation, sampling, roots), the same in every revision: a question is a
 * method and params, whether it came as a request or inside an `input_required` result.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { invalidParams, methodNotFound } from '../../protocol/errors.js';
import type { ClientCapabilities } from '../../protocol/model/capabilities.js';
import type { ElicitParams, ElicitResult } from '../../protocol/model/elicitation.js';
import type { Root } from '../../protocol/model/roots.js';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/model/sampling.js';
import { askObstacle } from '../../protocol/revisions/asks.js';
import type { Revision } from '../../protocol/revisions/index.js';
import { readable } from '../../protocol/revisions/vocabulary.js';
import { capabilitiesFor } from '../connection/capabilities.js';
import { RefusedError } from '../errors.js';
import { completeAnswer, isElicitParams } from './elicitation.js';
import type { ReceivedTasks } from './received-tasks.js';
import { assertMessageResult, assertToolResults, isCreateMessageParams } from './sampling.js';

export interface AskContext {
  /** Aborted when the answer is no longer wanted: cancelled by the server or the caller, or the connection is gone. */
  readonly signal: AbortSignal;
  readonly revision: string;
  /** The call that the question belongs to, where the revision or the transport identifies it. */
  readonly call: AskedCall | undefined;
}

export interface AskedCall {
  readonly method: string;
  readonly params: JsonObject;
  /** The caller that made the call through a relay. */
  readonly owner?: unknown;
}

/** Answers a server that asks the user for something: `accept({...})`, `decline()` or `dismiss()`. */
export type ElicitHandler = (
  request: ElicitParams,
  context: AskContext,
) => ElicitResult | Promise<ElicitResult>;

/** Lets a server use the model of this program. */
export type SampleHandler = (
  request: CreateMessageParams,
  context: AskContext,
) => CreateMessageResult | Promise<CreateMessageResult>;

export type RootsSource =
  | readonly Root[]
  | ((context: AskContext) => readonly Root[] | Promise<readonly Root[]>);

/** What the client can do for a server. Each handler given declares its capability. */
export interface AskHandlers {
  readonly elicit?: ElicitHandler | undefined;
  /** The ways of asking that `elicit` understands. Default: both. */
  readonly elicitModes?: readonly ('form' | 'url')[] | undefined;
  readonly sample?: SampleHandler | undefined;
  /** Whether `sample` understands `tools` and `toolChoice`. */
  readonly sampleTools?: boolean | undefined;
  readonly roots?: RootsSource | undefined;
}

/** Questions of a server that are answered as tasks, at a time. */
const MAX_TASKS = 100;

export class Responder {
  readonly #handlers: AskHandlers;
  readonly #capabilities: ClientCapabilities;
  #roots: RootsSource | undefined;
  #received: ReceivedTasks | undefined;

  constructor(handlers: AskHandlers, capabilities: ClientCapabilities) {
    this.#handlers = handlers;
    this.#capabilities = capabilities;
    this.#roots = handlers.roots;
    if (Array.isArray(handlers.roots)) assertRoots(handlers.roots);
  }

  /** The server is gone, and nobody asks for what its tasks have come to. */
  close(): void {
    this.#received?.close();
    this.#received = undefined;
  }

  get hasRoots(): boolean {
    return this.#roots !== undefined;
  }

  setRoots(roots: readonly Root[]): void {
    assertRoots(roots);
    this.#roots = [...roots];
  }

  /** Rejects with a ProtocolError for what the server did wrong, and with whatever the handler threw. */
  async answer(
    revision: Revision,
    method: string,
    params: JsonObject,
    context: AskContext,
  ): Promise<JsonObject> {
    if (revision.tasks === 'core' && this.#capabilities.tasks !== undefined) {
      if (method.startsWith('tasks/')) return (await this.#tasks()).handle(method, params, context.signal);
      if (isRecord(params.task) && this.#takesTask(method)) {
        const { task, ...question } = params;
        const answer = (signal: AbortSignal): Promise<JsonObject> =>
          this.#answer(revision, method, question, { ...context, signal });
        return (await this.#tasks()).create(task, answer);
      }
    }
    return this.#answer(revision, method, params, context);
  }

  /** Whether questions of this kind were declared to be answered as tasks too. */
  #takesTask(method: string): boolean {
    const { elicitation, sampling } = this.#capabilities.tasks?.requests ?? {};
    if (method === 'elicitation/create') return elicitation?.create !== undefined;
    return method === 'sampling/createMessage' && sampling?.createMessage !== undefined;
  }

  async #tasks(): Promise<ReceivedTasks> {
    const { ReceivedTasks } = await import('./received-tasks.js');
    this.#received ??= new ReceivedTasks(MAX_TASKS);
    return this.#received;
  }

  async #answer(
    revision: Revision,
    method: string,
    params: JsonObject,
    context: AskContext,
  ): Promise<JsonObject> {
    if (!revision.asks.has(method)) throw methodNotFound(method);
    switch (method) {
      case 'elicitation/create':
        return this.#elicit(revision, params, context);
      case 'sampling/createMessage':
        return this.#sample(revision, params, context);
      case 'roots/list':
        return this.#listRoots(revision, context);
      default:
        throw methodNotFound(method);
    }
  }

  async #elicit(revision: Revision, params: JsonObject, context: AskContext): Promise<JsonObject> {
    const { elicit } = this.#handlers;
    const declared = capabilitiesFor(revision, this.#capabilities).elicitation !== undefined;
    if (elicit === undefined || !declared) throw methodNotFound('elicitation/create');
    this.#assertDeclared(revision, 'elicitation/create', params);
    if (!isElicitParams(params)) {
      throw invalidParams(
        'elicitation/create needs a message, and a requestedSchema (form) or a url (mode "url")',
      );
    }
    try {
      return completeAnswer(params, await elicit(params, context));
    } catch (error) {
      if (error instanceof RefusedError) return { action: 'decline' };
      throw error;
    }
  }

  async #sample(revision: Revision, params: JsonObject, context: AskContext): Promise<JsonObject> {
    const { sample } = this.#handlers;
    if (sample === undefined) throw methodNotFound('sampling/createMessage');
    this.#assertDeclared(revision, 'sampling/createMessage', params);
    if (!isCreateMessageParams(params)) {
      throw invalidParams('sampling/createMessage needs a list of messages and a number maxTokens');
    }
    assertToolResults(params.messages);
    const result = await sample(params, context);
    assertMessageResult(result);
    return 'stopReason' in result ? result : { ...result, stopReason: 'endTurn' };
  }

  async #listRoots(revision: Revision, context: AskContext): Promise<JsonObject> {
    const source = this.#roots;
    if (source === undefined) throw methodNotFound('roots/list');
    const roots = typeof source === 'function' ? await source(context) : source;
    assertRoots(roots);
    return { roots: roots.map((root) => readable(revision, 'root', root)) };
  }

  #assertDeclared(revision: Revision, method: string, params: JsonObject): void {
    const declared = capabilitiesFor(revision, this.#capabilities);
    const obstacle = askObstacle(revision, declared, method, params);
    if (obstacle !== undefined) throw invalidParams(obstacle.reason);
  }
}

/** Roots are places in the file system (roots, data types). */
function assertRoots(roots: readonly Root[]): void {
  for (const root of roots) {
    if (root.uri.startsWith('file://')) continue;
    throw new TypeError(
      `A root is a file:// URI, not ${JSON.stringify(root.uri)}; use pathToFileURL(path).href`,
    );
  }
}
