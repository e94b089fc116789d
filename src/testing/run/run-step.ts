/** Makes one call of a test file, and compares what comes back with what is expected. */

import type { Client } from '../../client/client.js';
import { CancelledError, ConnectionClosedError, TimeoutError } from '../../client/errors.js';
import type { CallOptions } from '../../client/options.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { ProtocolError } from '../../protocol/errors.js';
import { validArguments } from '../../validate/generate/arguments.js';
import { type Problem, shown } from '../expect/problem.js';
import { type Observed, textOfResult } from '../expect/subject.js';
import type { StepDefinition } from '../suite/definition.js';
import type { ScriptedResponder } from './answer-script.js';
import { findNamed, isGlob, matchResources, type ServerCatalogue } from './server-catalogue.js';
import { compareSnapshot, type SnapshotOptions, type SnapshotOutcome } from './snapshots.js';
import type { CapturedValues } from './values.js';

export interface StepContext {
  readonly client: Client;
  readonly catalogue: ServerCatalogue;
  readonly responder: ScriptedResponder;
  readonly values: CapturedValues;
  readonly snapshots: SnapshotOptions;
  /** Names the snapshot. */
  readonly caseName: string;
  readonly serverLabel: string;
  readonly signal: AbortSignal;
  /** Milliseconds for the call. */
  readonly timeout: number;
  /** Log messages that arrive; cleared before each call. */
  readonly logs: JsonObject[];
}

export interface StepOutcome {
  readonly problems: readonly Problem[];
  readonly stderr?: string | undefined;
  readonly snapshot?: SnapshotOutcome | undefined;
  /** For people, where nothing is wrong. */
  readonly note?: string | undefined;
}

type Answer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: JsonObject }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly problem: Problem; readonly stderr?: string | undefined };

const MAX_READS = 50;

export function describeStep({ kind, subject }: Pick<StepDefinition, 'kind' | 'subject'>): string {
  const methods = { tool: 'tools/call ', resource: 'resources/read ', prompt: 'prompts/get ', request: '' };
  return `${methods[kind]}${subject}`;
}

export async function runStep(step: StepDefinition, context: StepContext): Promise<StepOutcome> {
  if (step.kind !== 'resource') return judge(step, context, (options) => send(step, context, options));
  const subject = String(context.values.fill(step.subject));
  const { uris, count } = matchResources(context.catalogue, subject);
  const counted = await countProblems(step, subject, count);
  if (counted !== undefined) return { problems: counted, note: `${count} match` };
  const chosen = uris.length > 0 ? uris : [subject];
  if (step.shouldExist === false && uris.length > 0)
    return { problems: [{ message: `${subject} is listed, and should not exist` }] };
  for (const uri of chosen.slice(0, MAX_READS)) {
    const outcome = await judge({ ...step, subject: uri }, context, (options) =>
      read(uri, context.client, options),
    );
    if (outcome.problems.length > 0 || chosen.length === 1) return outcome;
  }
  return { problems: [], note: `${chosen.length} read` };
}

/** Undefined when the resources are still to be read. */
async function countProblems(
  { expected, expect, count: wanted, shouldExist }: StepDefinition,
  subject: string,
  count: number,
): Promise<readonly Problem[] | undefined> {
  const observed: Observed = { result: undefined, count };
  if (wanted !== undefined) {
    const problems = await wanted(observed);
    if (problems.length > 0 || expect === undefined) return problems;
  }
  if (expect !== undefined && typeof expected === 'string' && /\bcount\b/.test(expected))
    return expect(observed);
  if (!isGlob(subject)) return undefined;
  if (count === 0)
    return shouldExist === false
      ? []
      : [{ message: `no resource matches ${subject}`, expected: 'at least one', actual: 0 }];
  return shouldExist === false
    ? [{ message: `${count} resources match ${subject}`, expected: 0, actual: count }]
    : undefined;
}

async function judge(
  step: StepDefinition,
  context: StepContext,
  call: (options: CallOptions) => Promise<unknown>,
): Promise<StepOutcome> {
  const script = context.responder.begin(step.answers);
  const progress: JsonObject[] = [];
  context.logs.length = 0;
  const started = performance.now();
  const answer = await converse(step, context, progress, call);
  const observed: Observed = {
    result: answer.kind === 'result' ? answer.result : undefined,
    error: answer.kind === 'error' ? answer.error : undefined,
    progress,
    logs: [...context.logs],
    asked: script.asked,
    duration: performance.now() - started,
  };
  const problems = [...(await answerProblems(step, context, answer, observed))];
  for (const [check, list, what] of [
    [step.progress, observed.progress, 'progress'],
    [step.logs, observed.logs, 'log messages'],
    [step.asked, observed.asked, 'questions'],
  ] as const) {
    if (check === undefined) continue;
    const found = await check({ ...observed, result: list });
    problems.push(...found.map((problem) => ({ ...problem, message: `${what}: ${problem.message}` })));
  }
  if (problems.length > 0) {
    for (const question of script.unanswered)
      problems.push({ message: `the server asked for ${question}, and the file has no answer` });
    return { problems, stderr: answer.kind === 'failed' ? answer.stderr : undefined };
  }
  return finish(step, context, observed);
}

function finish(step: StepDefinition, context: StepContext, observed: Observed): StepOutcome {
  const missing = context.values.capture(step.capture, observed.result);
  if (missing.length > 0)
    return { problems: missing.map((message) => ({ message, actual: observed.result })) };
  if (step.snapshot === undefined) return { problems: [] };
  const subject = { type: step.kind, testName: context.caseName, server: context.serverLabel };
  const snapshot = compareSnapshot(
    observed.result ?? observed.error,
    step.snapshot,
    subject,
    context.snapshots,
  );
  return snapshot.ok
    ? { problems: [], snapshot }
    : { problems: [{ message: `differs from the snapshot "${snapshot.name}"\n${snapshot.diff}` }], snapshot };
}

async function converse(
  step: StepDefinition,
  context: StepContext,
  progress: JsonObject[],
  call: (options: CallOptions) => Promise<unknown>,
): Promise<Answer> {
  const cancellation = new AbortController();
  const outOfTime = (): void => cancellation.abort(context.signal.reason);
  if (context.signal.aborted) outOfTime();
  else context.signal.addEventListener('abort', outOfTime, { once: true });
  const { cancel } = step;
  let timer: NodeJS.Timeout | undefined;
  if (cancel?.afterMs !== undefined) timer = setTimeout(() => cancellation.abort(), cancel.afterMs);
  const options: CallOptions = {
    timeout: step.timeout ?? context.timeout,
    maxTimeout: step.timeout ?? context.timeout,
    signal: cancellation.signal,
    retry: false,
    cache: 'no-store',
    ...(step.meta === undefined ? {} : { meta: context.values.fillObject(step.meta) }),
    onProgress: (report) => {
      progress.push({ ...report });
      if (cancel?.afterProgress !== undefined && progress.length >= cancel.afterProgress)
        cancellation.abort();
    },
  };
  try {
    const result = await call(options);
    if (cancel === undefined) return { kind: 'result', result };
    return failed('the call ended before it could be cancelled');
  } catch (error) {
    const isCancelled = cancellation.signal.aborted && !context.signal.aborted;
    if (isCancelled && error instanceof CancelledError) return stillAlive(context);
    return failureOf(error);
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', outOfTime);
  }
}

/** After a cancellation the server must still answer. */
async function stillAlive({ client, timeout }: StepContext): Promise<Answer> {
  try {
    await client.ping({ timeout });
    return { kind: 'cancelled' };
  } catch (error) {
    return failed(`the server does not answer after the cancellation: ${messageOf(error)}`);
  }
}

function failed(message: string, stderr?: string): Answer {
  return { kind: 'failed', problem: { message }, stderr };
}

function failureOf(error: unknown): Answer {
  if (error instanceof ProtocolError) {
    const { rpcCode: code, message, data } = error;
    return { kind: 'error', error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
  if (error instanceof TimeoutError || error instanceof CancelledError)
    return failed(
      error instanceof TimeoutError ? error.message : 'no answer before the time limit of the case',
    );
  if (error instanceof ConnectionClosedError) return failed(error.message, error.stderr);
  return failed(inFileWords(messageOf(error)));
}

/** Advice of the library names its options; the file has fields for them. */
function inFileWords(message: string): string {
  return message.replace('give connect() a handler that can', 'write the answer under "answers" of the test');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function answerProblems(
  step: StepDefinition,
  context: StepContext,
  answer: Answer,
  observed: Observed,
): Promise<readonly Problem[]> {
  switch (answer.kind) {
    case 'failed':
      return [answer.problem];
    case 'cancelled':
      return [];
    case 'error':
      return errorProblems(step, answer.error);
    case 'result':
      return resultProblems(step, context, answer.result, observed);
  }
}

function errorProblems(step: StepDefinition, error: JsonObject): readonly Problem[] {
  if (step.error !== undefined) return step.error(error);
  if (step.shouldThrow || step.shouldExist === false) return [];
  return [
    {
      message: `the server answered with error ${shown(error.code)}: ${String(error.message)}`,
      expected: 'a result',
      actual: error,
    },
  ];
}

async function resultProblems(
  step: StepDefinition,
  _context: StepContext,
  result: unknown,
  observed: Observed,
): Promise<readonly Problem[]> {
  const hasFailed = isRecord(result) && result.isError === true;
  if (step.error !== undefined) return [unexpectedSuccess('a JSON-RPC error', result)];
  if (step.shouldThrow) return hasFailed ? [] : [unexpectedSuccess('an error', result)];
  if (step.shouldExist === false)
    return [{ message: `${step.subject} exists, and should not`, actual: result }];
  const wanted = step.isError ?? (mentionsError(step.expected) ? undefined : false);
  if (step.kind === 'tool' && wanted !== undefined && wanted !== hasFailed) {
    const text = textOfResult(result);
    return [
      wanted
        ? unexpectedSuccess('a result with isError', result)
        : {
            message: `the tool failed: ${text.slice(0, 500)}`,
            path: 'isError',
            expected: false,
            actual: true,
          },
    ];
  }
  return step.expect === undefined ? emptiness(step, result) : step.expect(observed);
}

/** An expectation about the failure itself decides about it. */
function mentionsError(expected: unknown): boolean {
  return typeof expected === 'function' || /isError/.test(JSON.stringify(expected) ?? '');
}

function unexpectedSuccess(expected: string, actual: unknown): Problem {
  return { message: `expected ${expected}, and the call succeeded`, expected, actual };
}

/** Without an expectation a resource has contents and a prompt has messages. */
function emptiness({ kind }: StepDefinition, result: unknown): readonly Problem[] {
  const field = kind === 'resource' ? 'contents' : kind === 'prompt' ? 'messages' : undefined;
  if (field === undefined || !isRecord(result)) return [];
  const list = result[field];
  return Array.isArray(list) && list.length > 0
    ? []
    : [{ message: `${field} is empty`, path: field, actual: list }];
}

function send(
  step: StepDefinition,
  { client, catalogue, values }: StepContext,
  options: CallOptions,
): Promise<unknown> {
  const args = step.args === undefined ? undefined : values.fillObject(step.args);
  const subject = String(values.fill(step.subject));
  switch (step.kind) {
    case 'tool': {
      const tool = findNamed(catalogue.tools, subject);
      return client.tools.call(tool?.name ?? subject, args ?? validArguments(tool?.inputSchema), options);
    }
    case 'prompt': {
      const prompt = findNamed(catalogue.prompts, subject);
      const texts = Object.entries(args ?? {}).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
      ]);
      return client.prompts.get(prompt?.name ?? subject, Object.fromEntries(texts), options);
    }
    case 'resource':
      return read(subject, client, options);
    case 'request':
      return client.request(subject, args ?? {}, options);
  }
}

function read(uri: string, client: Client, options: CallOptions): Promise<unknown> {
  return client.resources.read(uri, options);
}
