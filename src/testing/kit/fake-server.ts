/** A server that does what a test says, to test clients and agents. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { type Duration, milliseconds } from '../../protocol/duration.js';
import type { ToolAnnotations } from '../../protocol/model/tools.js';
import type { Context } from '../../server/context.js';
import type { HttpHandle, HttpServeOptions } from '../../server/http/service.js';
import { createServer, type Server } from '../../server/server.js';
import { ToolError } from '../../server/tool-result.js';
import type { Transport } from '../../transports/transport.js';

/** A value, an error, or a function of the arguments that returns one. */
export type FakeAnswer = unknown;

export interface FakeTool {
  readonly description?: string | undefined;
  /** JSON Schema of the arguments. Default: anything. */
  readonly input?: object | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /** In turn; the last one answers all further calls. */
  readonly results?: readonly FakeAnswer[] | undefined;
  readonly result?: FakeAnswer;
  /** How long the answer takes: `'2s'`, or a number of milliseconds. Default: 0. */
  readonly delay?: Duration | undefined;
}

export interface FakeServerDefinition {
  /** Default: `fake`. */
  readonly name?: string | undefined;
  /** Default: `1.0.0`. */
  readonly version?: string | undefined;
  /** Sent to clients when they connect. Default: none. */
  readonly instructions?: string | undefined;
  /** Protocol revisions to speak. Default: all. */
  readonly revisions?: readonly string[] | undefined;
  /** By name: a tool, or its answer alone. */
  readonly tools?: { readonly [name: string]: FakeTool | FakeAnswer } | undefined;
  /** By URI: their text, an error, or a function that returns one. */
  readonly resources?: { readonly [uri: string]: FakeAnswer } | undefined;
  /** By name: their text, an error, or a function that returns one. */
  readonly prompts?: { readonly [name: string]: FakeAnswer } | undefined;
}

export interface FakeCall {
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly name: string;
  readonly args: JsonObject;
}

const MAX_CALLS = 10_000;

/**
 * ```ts
 * const server = createFakeServer({ tools: { search: ({ query }) => `nothing about ${query}` } });
 * await runAgent(server);
 * expect(server.callsOf('search')).toHaveLength(1);
 * ```
 */
export function createFakeServer(definition: FakeServerDefinition = {}): FakeServer {
  return new FakeServer(definition);
}

export class FakeServer {
  readonly server: Server;
  readonly #calls: FakeCall[] = [];

  constructor({
    name = 'fake',
    version = '1.0.0',
    instructions,
    revisions,
    tools = {},
    resources = {},
    prompts = {},
  }: FakeServerDefinition) {
    this.server = createServer({
      name,
      version,
      exposeErrors: true,
      capabilities: { tools: {}, resources: {}, prompts: {} },
      ...(instructions === undefined ? {} : { instructions }),
      ...(revisions === undefined ? {} : { revisions }),
    });
    for (const [tool, given] of Object.entries(tools)) this.#addTool(tool, toolOf(given));
    for (const [uri, answer] of Object.entries(resources)) {
      this.server.resource(uri, { name: uri }, async () =>
        textFrom(await this.#answer('resource', uri, {}, answer)),
      );
    }
    for (const [prompt, answer] of Object.entries(prompts)) {
      this.server.prompt(
        prompt,
        { input: { type: 'object', additionalProperties: { type: 'string' } } },
        async (args) => textFrom(await this.#answer('prompt', prompt, { ...args }, answer)),
      );
    }
  }

  /** Everything that clients used, in order. */
  get calls(): readonly FakeCall[] {
    return this.#calls;
  }

  callsOf(name: string): readonly FakeCall[] {
    return this.#calls.filter((call) => call.name === name);
  }

  /** A connection in this process: `connect(server)`. */
  transport(): Transport {
    return this.server.transport();
  }

  http(options?: HttpServeOptions): Promise<HttpHandle> {
    return this.server.http(options);
  }

  close(): Promise<void> {
    return this.server.close({ drain: 0 });
  }

  #addTool(name: string, { description, input, annotations, results, result, delay = 0 }: FakeTool): void {
    const delayMs = milliseconds(delay);
    const answers = results ?? [result];
    let next = 0;
    const definition = {
      description: description ?? name,
      input: { type: 'object', ...input },
      ...(annotations === undefined ? {} : { annotations }),
    };
    this.server.tool(name, definition, async (args: unknown, context: Context) => {
      const answer = answers[Math.min(next, answers.length - 1)];
      next += 1;
      if (delayMs > 0) await wait(delayMs, context.signal);
      const given = await this.#answer('tool', name, isRecord(args) ? args : {}, answer, context);
      return typeof given === 'bigint' || typeof given === 'symbol' || typeof given === 'function'
        ? String(given)
        : given;
    });
  }

  async #answer(
    kind: FakeCall['kind'],
    name: string,
    args: JsonObject,
    answer: FakeAnswer,
    context?: Context,
  ): Promise<unknown> {
    if (this.#calls.length < MAX_CALLS) this.#calls.push({ kind, name, args });
    const given: unknown = typeof answer === 'function' ? await answer(args, context) : answer;
    if (given instanceof Error)
      throw kind === 'tool' && given.constructor === Error ? new ToolError(given.message) : given;
    return given;
  }
}

const TOOL_FIELDS = ['result', 'results', 'input', 'delay', 'annotations', 'description'];

function toolOf(given: unknown): FakeTool {
  const isTool =
    isRecord(given) &&
    Object.keys(given).every((key) => TOOL_FIELDS.includes(key)) &&
    Object.keys(given).length > 0;
  return isTool ? given : { result: given };
}

function textFrom(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
