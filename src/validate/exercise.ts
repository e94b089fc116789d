/** Uses everything that a server offers once, so that checks can look at results instead of asking again. */

import { isRecord, type JsonObject, type RequestId } from '../jsonrpc/message.js';
import { type ObservedCatalogue, records, textOf } from './catalogue.js';
import { validArguments } from './generate/arguments.js';
import { answerTo } from './session/identity.js';
import type { WireReply } from './session/reply.js';
import type { ValidatorSession } from './session/session.js';
import { Slots } from './slots.js';

/** One use of a feature. In the stateless era it may have taken several rounds. */
export interface Use {
  readonly method: string;
  readonly params: JsonObject;
  /** The tool, resource or prompt. */
  readonly subject: JsonObject;
  readonly rounds: readonly WireReply[];
  readonly last: WireReply;
}

export interface Exercise {
  readonly calls: readonly Use[];
  readonly reads: readonly Use[];
  readonly gets: readonly Use[];
}

export interface ExerciseOptions {
  readonly callable: (tool: JsonObject) => boolean;
  readonly timeoutMs: number;
}

const MAX_OF_EACH = 40;
const MAX_ROUNDS = 6;
const PARALLEL = 6;

export async function exercise(
  session: ValidatorSession,
  catalogue: ObservedCatalogue,
  options: ExerciseOptions,
): Promise<Exercise> {
  const { timeoutMs } = options;
  const use = (method: string, subject: JsonObject, params: JsonObject): Promise<Use> =>
    converse(session, method, subject, params, timeoutMs);
  const slots = new Slots(PARALLEL);
  // Reading may be what a tool changes: tools come last.
  const each = (items: readonly JsonObject[], work: (item: JsonObject) => Promise<Use>): Promise<Use[]> =>
    Promise.all(items.slice(0, MAX_OF_EACH).map((item) => slots.use(() => work(item))));
  const reads = each(catalogue.resources, (resource) =>
    use('resources/read', resource, { uri: textOf(resource, 'uri') }),
  );
  const gets = each(catalogue.prompts, (prompt) =>
    use('prompts/get', prompt, { name: textOf(prompt, 'name'), arguments: promptArguments(prompt) }),
  );
  const calls = each(catalogue.tools.filter(options.callable), (tool) =>
    use('tools/call', tool, { name: textOf(tool, 'name'), arguments: argumentsFor(tool, catalogue) }),
  );
  return { calls: await calls, reads: await reads, gets: await gets };
}

/** Valid arguments; where one is a URI, that of a resource which exists. */
function argumentsFor(tool: JsonObject, { resources }: Pick<ObservedCatalogue, 'resources'>): JsonObject {
  const args = validArguments(tool.inputSchema);
  const uri = textOf(resources[0] ?? {}, 'uri');
  if (uri === '') return args;
  for (const [name, value] of Object.entries(args))
    if (typeof value === 'string' && /uri$/i.test(name) && (value === 'text' || value.includes('example')))
      args[name] = uri;
  return args;
}

/** Every argument that is required, as a text. */
export function promptArguments(prompt: JsonObject): JsonObject {
  return Object.fromEntries(
    records(prompt.arguments)
      .filter((argument) => argument.required === true)
      .map((argument) => textOf(argument, 'name'))
      .map((name) => [name, /ur[il]/i.test(name) ? 'https://example.com/' : 'text']),
  );
}

/** Sends a request, and answers for as long as the server asks. */
export async function converse(
  session: ValidatorSession,
  method: string,
  subject: JsonObject,
  params: JsonObject,
  timeoutMs: number,
  meta: JsonObject = {},
): Promise<Use> {
  const rounds: WireReply[] = [];
  let next: JsonObject | undefined = params;
  while (next !== undefined && rounds.length < MAX_ROUNDS) {
    const id = session.nextId();
    const reply: WireReply = await session.request(method, next, {
      id,
      timeoutMs,
      meta: { progressToken: `p-${id}`, ...meta },
    });
    rounds.push(reply);
    // A client that stops waiting cancels its request.
    if (reply.kind === 'silence') await giveUp(session, reply, id);
    next = retryParams(params, reply);
  }
  const last = rounds.at(-1);
  if (last === undefined) throw new RangeError('A conversation has at least one round');
  return { method, params, subject, rounds, last };
}

async function giveUp(session: ValidatorSession, reply: WireReply, id: RequestId): Promise<void> {
  if (session.connection.kind === 'http' && session.stateless) reply.delivery?.abort();
  else await session.notify('notifications/cancelled', { requestId: id }).catch(() => undefined);
}

/** What a correct client sends after `input_required`; undefined when the conversation is over. */
export function retryParams(params: JsonObject, reply: WireReply): JsonObject | undefined {
  if (reply.kind !== 'result' || reply.result.resultType !== 'input_required') return undefined;
  const { inputRequests, requestState } = reply.result;
  const responses = isRecord(inputRequests)
    ? Object.fromEntries(
        Object.entries(inputRequests).map(([key, request]) => [key, embeddedAnswer(request)]),
      )
    : undefined;
  return {
    ...params,
    ...(responses === undefined ? {} : { inputResponses: responses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

function embeddedAnswer(request: unknown): JsonObject {
  if (!isRecord(request) || typeof request.method !== 'string') return {};
  return answerTo(request.method, isRecord(request.params) ? request.params : {}) ?? {};
}
