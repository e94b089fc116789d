/** What every scenario shows about a client: rules for all that it sends. */

import { isRecord, isRequestId, type JsonObject } from '../../jsonrpc/message.js';
import { META_LOG_LEVEL } from '../../protocol/model/meta.js';
import { isMetaKey, isReservedKey, traceContext } from '../checks/watch/meta.js';
import { NOT_USED } from '../checks/watch/options.js';
import type { Outcomes } from '../outcomes.js';
import { issuesOf, shapesOf } from '../schemas/index.js';
import { messagesOf, metasOf } from '../traffic.js';
import { judgeHeaders, judgeSession, judgeStatelessHeaders } from './judge-http.js';
import { judgeHandshake, judgeStateless } from './judge-lifecycle.js';
import type { Stage, StageRequest } from './stage.js';

export class ClientJudge {
  readonly outcomes: Outcomes;
  readonly #ids: ReadonlySet<string>;

  /** Only requirements of the revision are judged. */
  constructor(outcomes: Outcomes, ids: ReadonlySet<string>) {
    this.outcomes = outcomes;
    this.#ids = ids;
  }

  judge(id: string, ok: boolean, message: string, expected: string, sent: string): void {
    if (!this.#ids.has(id)) return;
    if (ok) this.outcomes.pass(id);
    // Seen from here it is the client that sent, and we that received.
    else this.outcomes.fail(id, message, { received: sent, expected });
  }

  /** A MAY: used or not. */
  option(id: string, used: boolean): void {
    if (!this.#ids.has(id)) return;
    if (used) this.outcomes.pass(id);
    else this.outcomes.skip(id, NOT_USED);
  }
}

export const PASSIVE_IDS =
  '001 002 003 004 005 006 007 008 013 015 017 019 020 029 043 044 050 051 055 058 059 060 080 082 092 093 094 136 158 170 172 180 198 199 211 215 217 234 248 250 251 359 391 400 406 525 526 527 528 529';

/** A cancellation and an answer may cross; after so many further answers this one was read. */
const CERTAINLY_READ = 2;

const RESERVED_OK: ReadonlySet<string> = new Set([
  'protocolVersion',
  'clientCapabilities',
  'clientInfo',
  'logLevel',
  'related-task',
]);

export function judgePassively(stage: Stage, judge: ClientJudge): void {
  const posts = stage.heard.filter(({ method, path }) => method === 'POST' && path.startsWith('/mcp'));
  const used = new Map<string, number>();
  for (const heard of posts) {
    for (const message of messagesOf(heard.value)) judgeMessage(stage, judge, heard, message, used);
    const again = 'another id while one is in flight';
    if (heard.text.includes('"progressToken"'))
      judge.judge(
        '092',
        !heard.tokenClash,
        'A progress token that another running request has',
        'a token of its own for each running request',
        heard.text,
      );
    judge.judge('004', !heard.clash, 'An id that is still in flight was used again', again, heard.text);
    const batch = Array.isArray(heard.value);
    judge.judge('017', !batch, 'The client sent a batch', 'one message in each POST', heard.text);
    judge.judge(
      '015',
      !batch || !heard.text.includes('"initialize"'),
      'initialize inside a batch',
      'initialize alone',
      heard.text,
    );
    if (stage.kind === 'http') judgeHeaders(stage, judge, heard);
  }
  judgeOptions(stage, judge, posts);
  if (stage.revision.lifecycle === 'handshake') judgeHandshake(stage, judge, posts);
  else judgeStateless(judge, posts);
  if (stage.kind === 'stdio') return;
  if (stage.revision.lifecycle === 'handshake') judgeSession(stage, judge, posts);
  else judgeStatelessHeaders(stage, judge);
}

function judgeOptions(stage: Stage, judge: ClientJudge, posts: readonly StageRequest[]): void {
  const messages = posts.flatMap(({ value }) => messagesOf(value));
  const sends = (name: string): boolean => messages.some(({ method }) => method === name);
  const carries = (key: string): boolean =>
    messages.some((message) => metasOf(message).some((meta) => meta[key] !== undefined));
  judge.option('525', sends('server/discover'));
  if (stage.kind === 'http')
    judge.option(
      '526',
      stage.heard.some(({ method, path }) => method === 'GET' && path.startsWith('/mcp')),
    );
  judge.option('527', carries('progressToken'));
  judge.option('528', carries(META_LOG_LEVEL));
  judge.option('529', sends('logging/setLevel'));
}

function judgeMessage(
  stage: Stage,
  judge: ClientJudge,
  heard: StageRequest,
  message: JsonObject,
  used: Map<string, number>,
): void {
  const { text } = heard;
  judge.judge('001', message.jsonrpc === '2.0', 'A message without jsonrpc "2.0"', '"jsonrpc": "2.0"', text);
  for (const meta of metasOf(message)) {
    for (const key of Object.keys(meta)) {
      judge.judge('019', isMetaKey(key), `The _meta key "${key}" breaks the grammar`, 'prefix/name', text);
      const own = isReservedKey(key) && !RESERVED_OK.has(key.split('/')[1] ?? '');
      judge.judge('020', !own, `The _meta key "${key}" uses a reserved prefix`, 'a prefix of your own', text);
    }
    for (const [key, ok] of traceContext(meta))
      judge.judge('080', ok, `${key} is not in its W3C format`, 'the format of W3C Trace Context', text);
    if ('progressToken' in meta)
      judge.judge(
        '092',
        isRequestId(meta.progressToken),
        'A progress token that is neither string nor integer',
        'a string or an integer',
        text,
      );
  }
  if (typeof message.method === 'string') judgeCall(stage, judge, message, heard, used);
  else judgeResponse(stage, judge, message, text);
}

function judgeCall(
  stage: Stage,
  judge: ClientJudge,
  message: JsonObject,
  heard: StageRequest,
  used: Map<string, number>,
): void {
  const { text } = heard;
  const method = String(message.method);
  const params = isRecord(message.params) ? message.params : {};
  if (method === 'notifications/progress') judgeProgress(stage, judge, params, heard);
  if (method === 'notifications/cancelled' && stage.revision.lifecycle === 'handshake')
    judge.judge(
      '082',
      // Over HTTP a cancellation can overtake the request that it is about.
      stage.heard.some((other) => other !== heard && other.message?.id === params.requestId) &&
        (stage.answeredSince(params.requestId, heard) ?? 0) < CERTAINLY_READ,
      'The client cancelled a request that it never sent, or whose answer it has',
      'only own requests in flight',
      text,
    );
  judge.judge(
    '008',
    !method.startsWith('notifications/') || !('id' in message),
    'A notification with an id',
    'no id',
    text,
  );
  const shapes = shapesOf(stage.revision);
  const shape = 'id' in message ? shapes.clientRequests.get(method) : shapes.clientNotifications.get(method);
  if (shape !== undefined) {
    const issues = issuesOf(shape, params);
    judge.judge(
      '406',
      issues.length === 0,
      `${method}: ${issues.join('; ')}`,
      'the shape of the schema',
      text,
    );
  }
  if (method === 'prompts/get' && isRecord(params.arguments)) {
    const strings = Object.values(params.arguments).every((value) => typeof value === 'string');
    judge.judge('136', strings, 'Prompt arguments that are no strings', 'strings', text);
  }
  if (stage.revision.lifecycle === 'stateless')
    judge.judge(
      '400',
      method !== 'resources/directory/read',
      'resources/directory/read though the server does not declare it',
      'only with the directoryRead setting of the skills extension',
      text,
    );
  judgeRevision(stage, judge, method, params, heard);
  if (!('id' in message)) return;
  judge.judge(
    '002',
    isRequestId(message.id),
    'A request id that is neither string nor integer',
    'a string or an integer',
    text,
  );
  // A process that was started again is another session.
  const key = `${heard.connection ?? ''} ${JSON.stringify(message.id)}`;
  if (stage.turnedAway.has(heard)) return;
  const count = (used.get(key) ?? 0) + 1;
  used.set(key, count);
  // A lost answer may be asked for again, but as a new request.
  judge.judge(
    '003',
    count === 1,
    `The id ${JSON.stringify(message.id)} was used twice`,
    'a new id for every request',
    text,
  );
}

/** Methods that a handshake leads to in no revision. */
const STATELESS_METHODS: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);

/** Only what the revision has: the probe for another era comes before a revision is agreed on. */
function judgeRevision(
  stage: Stage,
  judge: ClientJudge,
  method: string,
  params: JsonObject,
  given: StageRequest,
): void {
  const { revision, heard } = stage;
  const { text, connection } = given;
  const agreed = heard
    .slice(0, heard.indexOf(given))
    .some(
      (earlier) =>
        earlier.connection === connection && earlier.message?.method === 'notifications/initialized',
    );
  if (revision.lifecycle !== 'handshake' || !agreed) return;
  const later = STATELESS_METHODS.has(method) || (method.startsWith('tasks/') && revision.tasks === 'none');
  judge.judge('058', !later, `${method} is of another revision`, `methods of ${revision.version}`, text);
  if (method !== 'tools/call') return;
  judge.judge(
    '058',
    params.task === undefined || revision.tasks !== 'none',
    'A call with a task',
    `fields of ${revision.version}`,
    text,
  );
}

/** Progress of the client: only for tokens that we supplied, and always more. */
function judgeProgress(stage: Stage, judge: ClientJudge, params: JsonObject, heard: StageRequest): void {
  const { progressToken, progress } = params;
  const supplied = [...stage.asked.values()].some(
    ({ params: asked }) =>
      isRecord(asked) && isRecord(asked._meta) && asked._meta.progressToken === progressToken,
  );
  judge.judge(
    '093',
    supplied && progressToken !== undefined,
    'Progress for a token that no request supplied',
    'progress only for supplied tokens',
    heard.text,
  );
  const before = stage.heard.filter(
    ({ at, message }) =>
      at < heard.at &&
      message?.method === 'notifications/progress' &&
      isRecord(message.params) &&
      message.params.progressToken === progressToken,
  );
  const last = before.at(-1)?.message?.params;
  const increases = typeof progress === 'number' && (!isRecord(last) || progress > Number(last.progress));
  judge.judge('094', increases, 'Progress did not increase', 'a greater value every time', heard.text);
}

function judgeResponse(stage: Stage, judge: ClientJudge, message: JsonObject, text: string): void {
  judge.judge('029', false, 'The client sent a response', 'only requests and notifications', text);
  const asked = stage.asked.get(String(message.id));
  judge.judge(
    '005',
    asked !== undefined && asked.id === message.id,
    'A response that answers no request',
    'the id of the request',
    text,
  );
  judge.judge(
    '006',
    'result' in message !== 'error' in message,
    'A response without exactly one of result and error',
    'one of them',
    text,
  );
  if ('error' in message) {
    const { error } = message;
    judge.judge(
      '013',
      message.id !== null && message.id !== undefined,
      'An error without the id that could be read',
      'the id of the request',
      text,
    );
    judge.judge(
      '007',
      isRecord(error) && Number.isInteger(error.code) && typeof error.message === 'string',
      'An error without an integer code and a message',
      'code and message',
      text,
    );
  }
  const method = typeof asked?.method === 'string' ? asked.method : '';
  if (isRecord(message.result)) judgeAnswer(stage, judge, method, message.result, text);
}

const ANSWER_IDS: Readonly<Record<string, string>> = {
  'sampling/createMessage': '158',
  'roots/list': '170',
  'elicitation/create': '180',
};

/** What the client gave when it was asked, as a response or inside a retry. */
export function judgeAnswer(
  stage: Stage,
  judge: ClientJudge,
  method: string,
  result: JsonObject,
  text: string,
): void {
  const shape = shapesOf(stage.revision).clientResults.get(method);
  const id = ANSWER_IDS[method];
  if (shape === undefined || id === undefined) return;
  const issues = [...issuesOf(shape, result)];
  if (method === 'roots/list' && Array.isArray(result.roots)) {
    for (const root of result.roots)
      if (!isRecord(root) || !String(root.uri).startsWith('file://')) issues.push('a root is no file:// URI');
  }
  if (method === 'elicitation/create' && result.action !== 'accept' && result.content !== undefined)
    issues.push('content without accept');
  judge.judge(id, issues.length === 0, `${method}: ${issues.join('; ')}`, 'the shape of the schema', text);
}
