/**
 * From a decoded request to the text of its answer: route, context, middleware, handler, encoding.
 * Synchronous handlers are answered synchronously; nothing here makes a promise that the handler did not.
 */

import { METHOD_NOT_FOUND } from '../jsonrpc/codes.js';
import { encodeNotification, encodeResult, resultHead } from '../jsonrpc/encode.js';
import { isRecord, type JsonObject, type Request } from '../jsonrpc/message.js';
import {
  type Call,
  type Caller,
  type CallState,
  type FilteredMiddleware,
  runChain,
} from '../middleware/compose.js';
import type { Telemetry } from '../middleware/observe.js';
import { subjectOf } from '../middleware/subject.js';
import { neverAborted } from '../protocol/cancellation.js';
import { invalidParams, methodNotFound, ProtocolError } from '../protocol/errors.js';
import type { CallToolResult } from '../protocol/model/tools.js';
import { type Answer, ResultText, resultOf } from '../protocol/revisions/result-text.js';
import { type ResultStamp, writeResult } from '../protocol/revisions/results.js';
import type { BucketOpener } from './buckets/call-buckets.js';
import type { Channel } from './channel.js';
import { CallContext } from './context.js';
import type { ContextHost } from './context-host.js';
import { answerOrDetach, type Detacher } from './detached-calls.js';
import type { ErrorHandler } from './error-report.js';
import type { OpenSealer } from './input-state.js';
import { Layers } from './layers.js';
import type { Peer } from './peer.js';
import { PreparedResults } from './prepared.js';
import { isProtocolMethod } from './protocol-methods.js';
import { errorReply, type Reply } from './reply.js';
import { isServed, type Route, type RouteAnswer } from './route.js';
import { isThenable } from './thenable.js';
import { failure, unexpectedToolFailure } from './tool-failure.js';
import { ToolError } from './tool-result.js';
import { traced } from './traced.js';

type Outcome = JsonObject | Promise<JsonObject>;
type Replied = Reply | undefined | Promise<Reply | undefined>;
const NO_PARAMS: JsonObject = Object.freeze({});

export interface DispatcherOptions {
  readonly stamp: () => ResultStamp;
  readonly openSealer: OpenSealer;
  readonly exposeErrors: boolean;
  /** False where the server declared no logging: what calls log is then not sent. */
  readonly logs: () => boolean;
  /** What the answer to a call waits for: its announcements are on their way to other nodes. */
  readonly announced: () => Promise<void> | undefined;
  readonly onError: ErrorHandler;
  readonly createState: () => CallState;
  readonly openBucket: BucketOpener;
  /** Looked at for each request: a tracer may be found after the first of them. */
  readonly telemetry?: () => Telemetry | undefined;
}

export class Dispatcher implements ContextHost {
  readonly #options: DispatcherOptions;
  readonly #routes = new Map<string, Route>();
  #fallback: ((method: string) => Route) | undefined;
  readonly #layers = new Layers((method) => this.#routes.has(method));
  readonly #prepared = new PreparedResults();
  #detacher: Detacher | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  route(method: string, route: Route): void {
    this.#routes.set(method, route);
  }

  removeRoute(method: string, route: Route): boolean {
    return this.#routes.get(method) === route && this.#routes.delete(method);
  }

  /** Serves the methods that no revision of the protocol knows. */
  routeOthers(fallback: (method: string) => Route): void {
    this.#fallback = fallback;
  }

  #routeOf(method: string): Route | undefined {
    const route = this.#routes.get(method);
    if (route !== undefined || this.#fallback === undefined || isProtocolMethod(method)) return route;
    return this.#fallback(method);
  }

  findRoute(method: string): Route | undefined {
    return this.#routes.get(method);
  }

  hasRoute(method: string): boolean {
    return this.#routes.has(method);
  }

  isCustom(method: string): boolean {
    return this.#routeOf(method)?.custom === true;
  }

  use(entry: FilteredMiddleware): void {
    this.#layers.add(entry);
  }

  /** Other middleware from the next call on. */
  reset(entries: readonly FilteredMiddleware[]): void {
    this.#layers.replace(entries);
  }

  /**
   * Makes a result object immutable: its text is written once for each revision, and every client gets it.
   */
  prepare<T extends JsonObject>(result: T): T {
    return this.#prepared.add(result);
  }

  /** `text` is what the request was decoded from, unless it was part of something larger. */
  handle(request: Request, peer: Peer, channel: Channel, text?: string): Replied {
    const telemetry = this.#options.telemetry?.();
    if (telemetry === undefined) return this.#handle(request, peer, channel, text);
    return traced(telemetry, request, peer, () => this.#handle(request, peer, channel, text));
  }

  #handle(request: Request, peer: Peer, channel: Channel, text: string | undefined): Replied {
    const params = request.params ?? NO_PARAMS;
    const ctx = new CallContext(request.id, request.method, params, peer, channel, this, text);
    if (this.#detacher?.wants(ctx) === true)
      return this.#handleDetachable(ctx, channel, params, this.#detacher);
    try {
      const outcome = this.#start(ctx, params, this.#routeOf(request.method));
      if (!isThenable(outcome)) return this.#succeed(ctx, channel, outcome);
      this.#begin(ctx, channel);
      return Promise.resolve(outcome).then(
        (result) => this.#succeed(ctx, channel, result),
        (error: unknown) => this.#fail(ctx, channel, error),
      );
    } catch (error) {
      return this.#fail(ctx, channel, error);
    }
  }

  /** Calls may become tasks from now on. */
  detachBy(detacher: Detacher): void {
    this.#detacher = detacher;
  }

  #handleDetachable(ctx: CallContext, channel: Channel, params: JsonObject, detacher: Detacher): Replied {
    const { onError, exposeErrors } = this.#options;
    return answerOrDetach(ctx, detacher, {
      start: () => this.#start(ctx, params, this.#routeOf(ctx.method)),
      begin: () => this.#begin(ctx, channel),
      // The answer has been given; from now on nothing of the request ends the call.
      detached: (created) => {
        if (ctx.begun) channel.end(ctx.id, ctx);
        ctx.begun = true;
        return { text: encodeResult(ctx.id, this.#write(ctx, created)), errorCode: 0 };
      },
      succeed: (answer) => this.#succeed(ctx, channel, answer),
      fail: (error) => this.#fail(ctx, channel, error),
      onError,
      exposeErrors,
    });
  }

  /** Inbound notifications pass the middleware too; then `deliver` acts on them. */
  notification(
    method: string,
    params: JsonObject,
    ctx: Pick<Call, 'caller' | 'signal'>,
    deliver: (params: JsonObject) => void,
  ): void {
    const chain = this.#layers.around('inbound', 'notification', method);
    if (chain.length === 0) {
      deliver(params);
      return;
    }
    const state = this.createState();
    const call: Call = { kind: 'notification', direction: 'inbound', method, params, state, ...ctx };
    runChain(chain, call, (current) => {
      deliver(current.params);
      return {};
    }).catch((error: unknown) => this.#options.onError(error, method));
  }

  get logs(): boolean {
    return this.#options.logs();
  }

  createState(): CallState {
    return this.#options.createState();
  }

  get openBucket(): BucketOpener {
    return this.#options.openBucket;
  }

  hasOutbound(method: string): boolean {
    return (
      this.#layers.around('outbound', 'request', method).length > 0 ||
      this.#layers.around('outbound', 'notification', method).length > 0
    );
  }

  /** Sends a notification that belongs to no call, if the middleware lets it pass. */
  announce(
    method: string,
    params: JsonObject,
    caller: Caller,
    send: (text: string) => void | Promise<void>,
  ): void | Promise<void> {
    if (!this.hasOutbound(method)) return send(encodeNotification(method, params));
    const call: Call = {
      kind: 'notification',
      direction: 'outbound',
      method,
      params,
      caller,
      signal: neverAborted(),
      state: this.createState(),
    };
    const sent = (current: Call): Outcome => {
      const sending = send(encodeNotification(current.method, current.params));
      return sending instanceof Promise ? sending.then(() => ({})) : {};
    };
    return Promise.resolve(this.outbound(call, sent)).then(
      () => undefined,
      (error: unknown) => this.#options.onError(error, method),
    );
  }

  outbound(call: Call, deliver: (call: Call) => Outcome): Outcome {
    const chain = this.#layers.around('outbound', call.kind, call.method);
    return chain.length === 0 ? deliver(call) : runChain(chain, call, deliver);
  }

  #start(ctx: CallContext, params: JsonObject, route: Route | undefined): RouteAnswer {
    const { revision } = ctx.peer;
    const waits = params.requestState !== undefined || params.inputResponses !== undefined;
    if (waits && revision.askableMethods.has(ctx.method)) {
      const resume = (): Promise<void> => this.#restore(ctx, params);
      if (route?.resumes === true) ctx.resumeWith(resume);
      else return resume().then(() => this.#run(ctx, params, route));
    }
    return this.#run(ctx, params, route);
  }

  #run(ctx: CallContext, params: JsonObject, route: Route | undefined): RouteAnswer {
    const { method } = ctx;
    const chain = this.#layers.around('inbound', 'request', method);
    if (chain.length === 0) {
      ctx.takesText = true;
      return this.#serve(ctx, params, method, route);
    }
    const call: Call = {
      kind: 'request',
      direction: 'inbound',
      method,
      params,
      caller: ctx.caller,
      signal: ctx.signal,
      state: ctx.state,
    };
    const serve = (current: Call): Outcome => {
      ctx.adopt(current);
      const other = current.method === method ? route : this.#routeOf(current.method);
      const answer = this.#serve(ctx, current.params, current.method, other);
      return isThenable(answer) ? answer.then(resultOf) : resultOf(answer);
    };
    return runChain(chain, call, serve, (renamed) =>
      this.#layers.around(renamed.direction, renamed.kind, renamed.method),
    );
  }

  #serve(ctx: CallContext, params: JsonObject, method: string, route: Route | undefined): RouteAnswer {
    if (route === undefined || !isServed(route, method, ctx.peer.revision)) {
      ctx.unserved = true;
      throw methodNotFound(method);
    }
    return route.handle(params, ctx);
  }

  async #restore(ctx: CallContext, params: JsonObject): Promise<void> {
    const { inputResponses } = params;
    if (inputResponses !== undefined && !isRecord(inputResponses))
      throw invalidParams('"inputResponses" must be an object');
    const binding = { principal: ctx.peer.principal, method: ctx.method, params };
    const sealer = await this.#options.openSealer();
    await ctx.restore(await sealer.restore(binding), inputResponses);
  }

  #succeed(ctx: CallContext, channel: Channel, answer: Answer): Replied {
    const { outbox } = ctx;
    if (outbox !== undefined) {
      this.#begin(ctx, channel);
      return outbox.then(() => this.#succeed(ctx, channel, answer));
    }
    if (ctx.isSuspended) return this.#suspend(ctx, channel);
    const announced = this.#options.announced();
    if (announced === undefined) return this.#complete(ctx, channel, answer);
    this.#begin(ctx, channel);
    return announced.then(() => this.#complete(ctx, channel, answer));
  }

  #complete(ctx: CallContext, channel: Channel, answer: Answer): Replied {
    if (ctx.cancelled) return this.#end(ctx, channel);
    try {
      const passed = answer instanceof ResultText ? answer.for(ctx.peer.revision) : undefined;
      if (passed !== undefined) {
        this.#end(ctx, channel);
        return { text: encodeResult(ctx.id, passed), errorCode: 0 };
      }
      const result = ctx.carrying(resultOf(answer));
      const write = (): string => this.#write(ctx, result);
      const prepared = this.#prepared.find(result, ctx.peer.revision, write);
      const text = encodeResult(ctx.id, prepared?.text ?? write());
      this.#end(ctx, channel);
      if (prepared === undefined) return { text, errorCode: 0 };
      return { text, errorCode: 0, prepared: { head: resultHead(ctx.id), result: prepared } };
    } catch (error) {
      // What cannot be written (a cycle, a BigInt) is the handler's failure like any other.
      return this.#fail(ctx, channel, error);
    }
  }

  #write(ctx: CallContext, result: JsonObject): string {
    return writeResult(ctx.peer.revision, ctx.method, result, this.#options.stamp());
  }

  /** Answers with the questions that ended the handler's run, and what it needs to start over. */
  async #suspend(ctx: CallContext, channel: Channel): Promise<Reply | undefined> {
    this.#begin(ctx, channel);
    const suspended = await ctx.suspended();
    this.#end(ctx, channel);
    if (ctx.cancelled || suspended === undefined) return undefined;
    const binding = { principal: ctx.peer.principal, method: ctx.method, params: ctx.params };
    try {
      const sealer = await this.#options.openSealer();
      const result: JsonObject = {
        resultType: 'input_required',
        inputRequests: Object.fromEntries(suspended.asked),
        requestState: await sealer.seal(suspended.state, binding),
      };
      return { text: encodeResult(ctx.id, this.#write(ctx, ctx.carrying(result))), errorCode: 0 };
    } catch (error) {
      return this.#unexpected(ctx, error);
    }
  }

  #fail(ctx: CallContext, channel: Channel, error: unknown): Reply | undefined | Promise<Reply | undefined> {
    const { outbox } = ctx;
    if (outbox !== undefined) {
      this.#begin(ctx, channel);
      return outbox.then(() => this.#fail(ctx, channel, error));
    }
    if (ctx.isSuspended) return this.#suspend(ctx, channel);
    this.#end(ctx, channel);
    if (ctx.cancelled) return undefined;
    if (error instanceof ProtocolError) return this.#refuse(ctx, error);
    if (ctx.method === 'tools/call' && error instanceof ToolError)
      return this.#toolFailure(ctx, failure(error));
    return this.#unexpected(ctx, error);
  }

  /** An unexpected error: reported here in full, and sent to the client without its detail. */
  #unexpected(ctx: CallContext, error: unknown): Reply {
    const { onError, exposeErrors } = this.#options;
    onError(error, ctx.method, subjectOf(ctx));
    if (ctx.method === 'tools/call') {
      return this.#toolFailure(ctx, unexpectedToolFailure(String(ctx.params.name), error, exposeErrors));
    }
    const detail = exposeErrors && error instanceof Error ? `: ${error.message}` : '';
    return this.#refuse(ctx, new ProtocolError('internal_error', `Internal error${detail}`));
  }

  #refuse(ctx: CallContext, error: ProtocolError): Reply {
    const reply = errorReply(ctx.peer.revision, ctx.id, error);
    return ctx.unserved && reply.errorCode === METHOD_NOT_FOUND ? { ...reply, refusal: 'method' } : reply;
  }

  #toolFailure(ctx: CallContext, result: CallToolResult): Reply {
    try {
      return { text: encodeResult(ctx.id, this.#write(ctx, ctx.carrying(result))), errorCode: 0 };
    } catch (error) {
      this.#options.onError(error, ctx.method, subjectOf(ctx));
      return this.#refuse(ctx, new ProtocolError('internal_error', 'Internal error'));
    }
  }

  /** Only asynchronous calls are registered with their channel: synchronous calls cannot be cancelled. */
  #begin(ctx: CallContext, channel: Channel): void {
    if (ctx.begun) return;
    ctx.begun = true;
    channel.begin(ctx.id, ctx);
  }

  #end(ctx: CallContext, channel: Channel): undefined {
    ctx.end();
    if (ctx.begun) channel.end(ctx.id, ctx);
  }
}
