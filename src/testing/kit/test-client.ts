/** A client for tests: connects in one line, answers questions by a script, and keeps what happened. */

import type { Client } from '../../client/client.js';
import { connect } from '../../client/connect.js';
import type { CallOptions, ConnectOptions } from '../../client/options.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { GetPromptResult, Prompt } from '../../protocol/model/prompts.js';
import type { ReadResourceResult, Resource } from '../../protocol/model/resources.js';
import type { CallToolResult, Tool } from '../../protocol/model/tools.js';
import { plainValue, textOfResult } from '../expect/subject.js';
import { type AnswerScript, ScriptedResponder } from '../run/answer-script.js';
import { WireLog } from '../run/wire-log.js';
import { parseAnswers } from '../suite/parse-step.js';
import { type TestTarget, targetOf } from './sdk-source.js';

export interface TestClientOptions extends Omit<ConnectOptions, 'elicit' | 'sample' | 'roots' | 'revisions'> {
  /** The protocol revision. Default: the newest that both have. */
  readonly revision?: string | undefined;
  /** Answers to the questions of the server, as in test files: `{ elicit: { accept: { name: 'Ada' } }, sample: 'Hi' }`. */
  readonly answers?: object | undefined;
}

export interface RecordedTraffic {
  readonly sent: readonly JsonObject[];
  readonly received: readonly JsonObject[];
}

/**
 * Connects to a server for a test: one of this process (of Plumb or of the official SDK), a command or a URL.
 *
 * ```ts
 * await using client = await createTestClient(server);
 * expect(await client.text('add', { a: 1, b: 2 })).toBe('3');
 * ```
 */
export async function createTestClient(
  server: TestTarget,
  options: TestClientOptions = {},
): Promise<TestClient> {
  const { revision, answers, ...rest } = options;
  const responder = new ScriptedResponder(undefined);
  const script = responder.begin(parseAnswers(answers, 'answers'));
  const log = new WireLog();
  log.sole = log;
  const logs: JsonObject[] = [];
  const faults: string[] = [];
  const client = await connect(log.watch(targetOf(server)), {
    name: 'plumb-test',
    cache: false,
    recover: false,
    timeout: 5_000,
    ...rest,
    ...responder.handlers(),
    ...(revision === undefined ? {} : { revisions: [revision] }),
    onLog: (message) => {
      logs.push({ ...message });
      rest.onLog?.(message);
    },
    onFault: (fault) => {
      faults.push(fault.message);
      rest.onFault?.(fault);
    },
  });
  return new TestClient(client, { responder, script, log, logs, faults });
}

interface TestRecords {
  readonly responder: ScriptedResponder;
  readonly script: AnswerScript;
  readonly log: WireLog;
  readonly logs: JsonObject[];
  readonly faults: string[];
}

/** A client that records what it sees; `createTestClient` makes it. */
export class TestClient implements AsyncDisposable {
  /** Everything else that a client can do. */
  readonly client: Client;
  readonly #records: TestRecords;
  #script: AnswerScript;
  /** Of the last call. */
  progress: JsonObject[] = [];

  constructor(client: Client, records: TestRecords) {
    this.client = client;
    this.#records = records;
    this.#script = records.script;
  }

  get revision(): string {
    return this.client.revision;
  }

  /** Log messages of the server so far. */
  get logs(): readonly JsonObject[] {
    return this.#records.logs;
  }

  /** What the server did against the protocol so far. */
  get faults(): readonly string[] {
    return this.#records.faults;
  }

  /** Questions of the server since the answers were set. */
  get asked(): readonly JsonObject[] {
    return this.#script.asked;
  }

  /** Messages as they crossed, secrets masked. */
  get traffic(): RecordedTraffic {
    const { sent, received } = this.#records.log.excerpt(this.#records.log, { all: true });
    const parse = (text: string): JsonObject => JSON.parse(text);
    return { sent: sent.map(parse), received: received.map(parse) };
  }

  /** Answers from now on. */
  answer(answers: object): void {
    this.#script = this.#records.responder.begin(parseAnswers(answers, 'answers'));
  }

  call(name: string, args: object = {}, options: CallOptions = {}): Promise<CallToolResult> {
    this.progress = [];
    return this.client.tools.call(name, args, {
      ...options,
      onProgress: (report) => {
        this.progress.push({ ...report });
        options.onProgress?.(report);
      },
    });
  }

  /** The text of a tool's result; rejects when the tool failed. */
  async text(name: string, args: object = {}, options: CallOptions = {}): Promise<string> {
    return textOfResult(await this.#succeed(name, args, options));
  }

  /** The value that a tool returns: structured content, else JSON in its text, else its text. */
  async value(name: string, args: object = {}, options: CallOptions = {}): Promise<unknown> {
    return plainValue(await this.#succeed(name, args, options));
  }

  read(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    return this.client.resources.read(uri, options);
  }

  prompt(
    name: string,
    args?: { readonly [name: string]: string },
    options?: CallOptions,
  ): Promise<GetPromptResult> {
    return this.client.prompts.get(name, args, options);
  }

  tools(): Promise<Tool[]> {
    return this.client.tools.list();
  }

  resources(): Promise<Resource[]> {
    return this.client.resources.list();
  }

  prompts(): Promise<Prompt[]> {
    return this.client.prompts.list();
  }

  close(): Promise<void> {
    return this.client.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #succeed(name: string, args: object, options: CallOptions): Promise<CallToolResult> {
    const result = await this.call(name, args, options);
    if (result.isError === true) throw new Error(`The tool ${name} failed: ${textOfResult(result)}`);
    return result;
  }
}
