/** Tools: what authors register, what clients see, and how a call runs. */

import { undeclaredExtension } from '../extensions/negotiation.js';
import { tasksExtension } from '../extensions/tasks/definition.js';
import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { CallState } from '../middleware/compose.js';
import { missingScopes } from '../protocol/authorization.js';
import { type Duration, milliseconds } from '../protocol/duration.js';
import { invalidParams, missingCapability, ProtocolError } from '../protocol/errors.js';
import { type MirroredParameter, mirroredParameters } from '../protocol/mirrored-headers.js';
import type { ToolVisibility } from '../protocol/model/apps.js';
import type { Icon, ObjectSchema } from '../protocol/model/base.js';
import type { ClientCapabilities } from '../protocol/model/capabilities.js';
import type { ContentBlock } from '../protocol/model/content.js';
import type { Meta } from '../protocol/model/meta.js';
import type { CallToolResult, Tool, ToolAnnotations } from '../protocol/model/tools.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import { declares } from '../protocol/revisions/asks.js';
import { readsStructured } from '../protocol/revisions/results.js';
import { isWorker } from '../protocol/runtime.js';
import type { Issue } from '../protocol/schema/dialect.js';
import type { AnySchema, InferInput, InferOutput } from '../protocol/schema/infer.js';
import {
  type Checked,
  closedProperties,
  createSchema,
  describeIssues,
  type Schema,
} from '../protocol/schema/schema.js';
import { isStandardSchema } from '../protocol/schema/standard-schema.js';
import type { AnyKeptValues, KeptValues } from './buckets/bucket.js';
import type { CallContext, Context } from './context.js';
import { assertHandler, assertTask, listedInput, listedSchema, RegistrationError } from './registration.js';
import { isThenable } from './thenable.js';
import { withinTime } from './time-limit.js';
import { failure } from './tool-failure.js';
import { spelledResult, type ToolResult, toContent } from './tool-result.js';

/** What clients see of a tool, and how its calls run. */
export interface ToolDefinition<Input extends AnySchema = AnySchema, Output extends AnySchema = AnySchema> {
  /** The name for people. */
  readonly title?: string | undefined;
  /** What it does and when to use it: models choose by this. */
  readonly description?: string | undefined;
  /** Arguments: a Standard Schema (zod, valibot, arktype) or a JSON Schema. None when absent. */
  readonly input?: Input | undefined;
  /** The structured result. What the handler returns is checked against it. */
  readonly output?: Output | undefined;
  /** Hints about its effects, such as `readOnlyHint: true`. */
  readonly annotations?: ToolAnnotations | undefined;
  /** Pictures for lists of clients. */
  readonly icons?: Icon[] | undefined;
  /** Sent as `_meta` in lists. */
  readonly meta?: Meta | undefined;
  /** The app that shows its results (`server.app`), in hosts that have the MCP Apps extension. */
  readonly app?: string | undefined;
  /** Who may call it: the model, its app, or both. Hosts enforce it. Default: both. */
  readonly visibility?: readonly ToolVisibility[] | undefined;
  /** Client capabilities without which the tool cannot work; checked before the handler runs. */
  readonly requires?: ClientCapabilities | undefined;
  /**
   * OAuth scopes that a caller over HTTP must have been granted; other callers get an error that names the
   * missing scopes.
   */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Whether calls may go on after they were answered, as tasks. `optional`: where the client can have one. `required`:
   * clients of revisions that have tasks must use one. Older clients get the result when it is there.
   */
  readonly task?: TaskSupportLevel | ManualTask | undefined;
  /**
   * How long a call may take: `'30s'`, or a number of milliseconds; then the handler's signal is aborted, and the call has failed. Time that
   * the client takes to answer questions does not count. Default: no limit.
   */
  readonly timeout?: Duration | undefined;
  /**
   * False leaves out the copy of the structured result as text, which models are billed for a second time. Clients that
   * cannot read structured results get it still.
   */
  readonly textCopy?: boolean | undefined;
}

export type TaskSupportLevel = 'optional' | 'required' | 'never';

export interface ManualTask {
  readonly support: 'optional' | 'required';
  /** The handler calls `ctx.detach()` itself, after questions that have to be answered first, say. */
  readonly start: 'manual';
}

/**
 * Without `output`: text, content blocks, the result of `tools/call` (`{ content, isError, structuredContent, _meta }`),
 * or anything that can be shown as JSON.
 */
export type ToolReturn =
  | string
  | number
  | boolean
  | null
  | undefined
  | object
  // biome-ignore lint/suspicious/noConfusingVoidType: what a handler has that ends without returning
  | void;

/** Runs a tool. Gets the validated arguments and the context of the call; returns a result, a value, or text. */
export type ToolHandler<
  Input extends AnySchema,
  Output extends AnySchema | undefined,
  State extends object = CallState,
  Kept extends KeptValues = AnyKeptValues,
> = (args: InferOutput<Input>, ctx: Context<State, Kept>) => Returned<Output> | Promise<Returned<Output>>;

/** A handler whose schemas are known to the server alone. */
export type AnyToolHandler = ToolHandler<AnySchema, AnySchema | undefined>;

/** A union and no condition as a whole: the compiler then knows `isError: true` and `type: 'text'` as literals. */
type Returned<Output extends AnySchema | undefined> =
  | Value<Output>
  | ToolResult
  | StructuredResult<Value<Output>>
  | FailedResult;

/** `never` stands for an output that is not known yet, while the compiler infers a `new Promise(...)`. */
type Value<Output extends AnySchema | undefined> = [Output] extends [never]
  ? ToolReturn
  : Output extends AnySchema
    ? InferInput<Output>
    : ToolReturn;

/** The result of `tools/call` as a handler with `output` may return it. */
interface StructuredResult<Value> {
  readonly structuredContent: Value;
  /** The structured content as JSON, when absent. */
  readonly content?: readonly ContentBlock[];
  readonly isError?: false;
  readonly _meta?: Meta;
}

/** A failure needs no structured content. */
interface FailedResult {
  readonly isError: true;
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly _meta?: Meta;
}

const NO_ISSUES: readonly Issue[] = [];
const EMPTY_INPUT: ObjectSchema = { type: 'object', properties: {} };
/** Arguments are an object by then, and there is nothing more to check in them. */
const NO_INPUT: Schema = { json: EMPTY_INPUT, check: (value) => ({ value }), prepare: () => undefined };
const TOOL_OPTIONS: OptionNames<ToolDefinition> = {
  title: true,
  description: true,
  input: true,
  output: true,
  annotations: true,
  icons: true,
  meta: true,
  app: true,
  visibility: true,
  requires: true,
  scopes: true,
  task: true,
  timeout: true,
  textCopy: true,
};

/** 1 to 128 letters, digits and `_.-`: legal in every client (Tools, tool names). */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

export class ToolEntry {
  readonly name: string;
  readonly #definition: ToolDefinition;
  readonly #handler: AnyToolHandler;
  readonly #input: Schema;
  readonly #output: Schema | undefined;
  #shown: Tool | undefined;
  #mirrored: readonly MirroredParameter[] | undefined;
  #known: ReadonlySet<string> | undefined | null = null;
  readonly #timeout: number | undefined;

  constructor(name: string, definition: ToolDefinition, handler: AnyToolHandler) {
    if (!TOOL_NAME.test(name)) {
      throw new TypeError(`Tool name "${name}" must be 1 to 128 of A-Z a-z 0-9 _ . -`);
    }
    assertOptionNames(`Tool "${name}"`, definition, TOOL_OPTIONS);
    assertHandler('tool', name, handler);
    this.name = name;
    this.#definition = definition;
    this.#handler = handler;
    const { input, output, timeout } = definition;
    assertTask(name, definition.task);
    this.#timeout = timeout === undefined ? undefined : milliseconds(timeout);
    if (this.#timeout !== undefined && !(this.#timeout > 0))
      throw new TypeError(
        `The timeout of tool "${name}" must be above 0: '30s', or a number of milliseconds`,
      );
    this.#input = input === undefined ? NO_INPUT : schemaOf(name, input, 'input');
    this.#output = output === undefined ? undefined : schemaOf(name, output, 'output');
    // A JSON Schema can be judged at once. A library describes its schemas when the server starts: they may refer to
    // others that are defined further down.
    if (!isStandardSchema(input) && !isStandardSchema(output)) this.assertServable();
  }

  changed(changes: object, handler: unknown): ToolEntry {
    const next = handler === undefined ? this.#handler : (handler as AnyToolHandler);
    const entry = new ToolEntry(this.name, { ...this.#definition, ...changes }, next);
    entry.assertServable();
    return entry;
  }

  /** Describes the schemas; throws a RegistrationError that names the tool and the place. */
  assertServable(): void {
    void this.shown;
    void this.mirrored;
  }

  get shown(): Tool {
    if (this.#shown === undefined) {
      const { title, description, annotations, icons, meta } = this.#definition;
      const output = this.#output;
      const inputSchema = listedInput('tool', this.name, () => this.#input.json);
      const shown: Tool = { name: this.name, inputSchema };
      if (title !== undefined) shown.title = title;
      if (description !== undefined) shown.description = description;
      if (output !== undefined)
        shown.outputSchema = listedSchema('tool', this.name, 'output', () => output.json);
      if (annotations !== undefined) shown.annotations = annotations;
      if (icons !== undefined) shown.icons = icons;
      if (this.taskSupport !== 'never') shown.execution = { taskSupport: this.taskSupport };
      if (meta !== undefined) shown._meta = meta;
      this.#shown = shown;
    }
    return this.#shown;
  }

  /** Begins to load what calls will need. */
  prepare(): void {
    this.#input.prepare();
    this.#output?.prepare();
  }

  get scopes(): readonly string[] | undefined {
    return this.#definition.scopes;
  }

  get taskSupport(): TaskSupportLevel {
    const { task = 'never' } = this.#definition;
    const support = typeof task === 'string' ? task : task.support;
    // What goes on after the answer ends with its request there.
    return support === 'optional' && isWorker() ? 'never' : support;
  }

  /** Whether this call becomes a task, as its client and the tool want it; throws where they want the opposite. */
  #admitTask(ctx: CallContext): void {
    const { tasks } = ctx.peer.revision;
    if (this.taskSupport === 'never') {
      if (tasks === 'core')
        throw notAsTask(`Tool "${this.name}" does not run as a task; call it without "task"`);
      ctx.detaching = undefined;
    } else if (ctx.detaching === undefined && tasks === 'core') {
      throw notAsTask(`Tool "${this.name}" runs as a task only; call it with "task"`);
    } else if (ctx.detaching === undefined && tasks === 'extension') {
      throw undeclaredExtension(tasksExtension, `Tool "${this.name}"`);
    }
  }

  /** Arguments that HTTP headers repeat, by the `x-mcp-header` annotations of the input schema. */
  get mirrored(): readonly MirroredParameter[] {
    if (this.#mirrored === undefined) {
      const read = mirroredParameters(this.#input.json);
      if (!read.ok)
        throw new RegistrationError(`The input schema of tool "${this.name}" is not usable: ${read.reason}`);
      this.#mirrored = read.parameters;
    }
    return this.#mirrored;
  }

  call(params: JsonObject, ctx: CallContext): CallToolResult | Promise<CallToolResult> {
    const args = params.arguments ?? {};
    if (!isRecord(args)) throw invalidParams('"arguments" must be an object');
    const { requires, scopes } = this.#definition;
    // The HTTP endpoint has checked this with a proper challenge, unless middleware changed the name since.
    if (scopes !== undefined && ctx.requiresScopes && missingScopes(ctx.auth, scopes).length > 0) {
      throw new ProtocolError('invalid_request', `Tool "${this.name}" needs the scopes: ${scopes.join(' ')}`);
    }
    if (requires !== undefined && !declares(ctx.peer.capabilities, requires)) {
      const names = Object.keys(requires).join(', ');
      throw missingCapability(
        requires,
        `Tool "${this.name}" needs client capabilities that were not declared: ${names}`,
      );
    }
    if (ctx.detaching !== undefined || this.taskSupport === 'required') this.#admitTask(ctx);
    const checked = this.#input.check(args);
    if (checked instanceof Promise) return checked.then((result) => this.#checked(result, args, ctx));
    return this.#checked(checked, args, ctx);
  }

  #checked(checked: Checked, args: JsonObject, ctx: CallContext): CallToolResult | Promise<CallToolResult> {
    const unknown = this.#unknownArguments(args);
    if (checked.issues !== undefined) return this.#invalid(ctx, [...checked.issues, ...unknown]);
    if (unknown.length > 0) return this.#invalid(ctx, unknown);
    if (ctx.detaching === undefined || typeof this.#definition.task !== 'string')
      return this.#run(checked.value, ctx);
    return ctx.detach().then(() => this.#run(checked.value, ctx));
  }

  #run(args: unknown, ctx: CallContext): CallToolResult | Promise<CallToolResult> {
    let returned: unknown;
    ctx.isStarting = true;
    try {
      returned = this.#handler(args, ctx);
    } catch (error) {
      return failure(error);
    } finally {
      ctx.isStarting = false;
    }
    if (!isThenable(returned)) return this.#finish(returned, ctx);
    const timeout = this.#timeout;
    const work = timeout === undefined ? returned : withinTime(this.name, returned, timeout, ctx);
    return Promise.resolve(work).then((value) => this.#finish(value, ctx), failure);
  }

  #finish(value: unknown, ctx: CallContext): CallToolResult | Promise<CallToolResult> {
    const spelled = spelledResult(this.name, value, this.#output !== undefined);
    if (spelled !== undefined) {
      if (this.#output === undefined || spelled.isError === true) return spelled;
      return this.#checkOutput(spelled.structuredContent, spelled, ctx);
    }
    if (this.#output === undefined) return { content: toContent(this.name, value), isError: false };
    return this.#checkOutput(value, undefined, ctx);
  }

  #checkOutput(
    value: unknown,
    spelled: CallToolResult | undefined,
    ctx: CallContext,
  ): CallToolResult | Promise<CallToolResult> {
    const finish = (checked: { issues?: readonly Issue[] | undefined; value?: unknown }): CallToolResult => {
      if (checked.issues !== undefined) {
        throw new Error(
          `The result of tool "${this.name}" does not match its output schema: ${describeIssues(checked.issues)}`,
        );
      }
      if (spelled !== undefined) return spelled;
      if (this.#definition.textCopy === false && readsStructured(ctx.peer.revision, checked.value))
        return { content: [], structuredContent: checked.value, isError: false };
      const text = JSON.stringify(checked.value) ?? 'null';
      return { content: [{ type: 'text', text }], structuredContent: checked.value, isError: false };
    };
    const checked = this.#output?.check(value) ?? { value };
    return checked instanceof Promise ? checked.then(finish) : finish(checked);
  }

  #invalid(ctx: CallContext, issues: readonly Issue[]): CallToolResult {
    const text = `Invalid arguments for tool "${this.name}": ${describeIssues(issues)}`;
    if (ctx.peer.revision.invalidArguments === 'error') throw invalidParams(text, { issues });
    return { content: [{ type: 'text', text }], isError: true };
  }

  #unknownArguments(args: JsonObject): readonly Issue[] {
    if (this.#known === null) this.#known = closedProperties(this.#input.json);
    const known = this.#known;
    if (known === undefined) return NO_ISSUES;
    let issues: Issue[] | undefined;
    for (const name in args) {
      if (known.has(name)) continue;
      issues ??= [];
      issues.push({
        path: name,
        message: `is not an argument of this tool (known: ${[...known].join(', ') || 'none'})`,
      });
    }
    return issues ?? NO_ISSUES;
  }
}

function schemaOf(tool: string, schema: AnySchema, direction: 'input' | 'output'): Schema {
  try {
    return createSchema(schema, direction);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RegistrationError(`The ${direction} schema of tool "${tool}" is not usable: ${reason}`, {
      cause: error,
    });
  }
}

/** The number that the specification has for this (Tasks, tool-level negotiation). */
function notAsTask(message: string): ProtocolError {
  return new ProtocolError('method_not_found', message);
}
