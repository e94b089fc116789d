/** Sends random messages until time is up, and shrinks what breaks the server to the least that still does. */

import type { JsonObject } from '../../jsonrpc/message.js';
import { type Duration, milliseconds } from '../../protocol/duration.js';
import { assertOptionNames, type OptionNames } from '../../protocol/option-names.js';
import { REVISIONS } from '../../protocol/revisions/index.js';
import type { Revision } from '../../protocol/revisions/revision.js';
import type { Target } from '../../transports/target.js';
import { openSession } from '../session/open.js';
import type { ValidatorSession } from '../session/session.js';
import { spokenRevisions } from '../survey.js';
import { type SseTarget, type ValidationTarget, validationTarget } from '../target.js';
import { Recorder } from '../wire/recorder.js';
import { createRandom, garble, smaller } from './random.js';

export interface FuzzOptions {
  /** How long to send messages. */
  readonly duration: Duration;
  /** The same number, the same messages. */
  readonly seed: number;
  /** How long an answer may take. Default: 3 s. */
  readonly timeout?: Duration | undefined;
}

export interface FuzzFailure {
  readonly revision: string;
  readonly what: string;
  /** The message that broke it, and the least that still does. */
  readonly message: string;
  readonly minimal: string;
}

export interface FuzzResult {
  readonly seed: number;
  readonly sent: number;
  readonly failures: readonly FuzzFailure[];
}

const OPTIONS: OptionNames<FuzzOptions> = { duration: true, seed: true, timeout: true };
const ANSWER_MS = 3_000;
const MAX_FAILURES = 5;
const MAX_SHRINKS = 60;
/** One sign of life for so many messages. */
const BURST = 20;

/** Sends random messages to a server, and reports what broke it: `fuzz(url, { duration: '30s', seed: 7 })`. */
export async function fuzz(
  server: Target | SseTarget | ValidationTarget,
  options: FuzzOptions,
): Promise<FuzzResult> {
  assertOptionNames('fuzz', options, OPTIONS);
  const target = validationTarget(server);
  const random = createRandom(options.seed);
  const timeoutMs = milliseconds(options.timeout ?? ANSWER_MS);
  const spoken = await spokenRevisions(target, REVISIONS, timeoutMs);
  // Getting to know the server does not count.
  const deadline = performance.now() + milliseconds(options.duration);
  const failures: FuzzFailure[] = [];
  let broke = 0;
  let sent = 0;
  while (performance.now() < deadline && broke < MAX_FAILURES && spoken.length > 0) {
    const revision = spoken[Math.floor(random() * spoken.length)] ?? spoken[0];
    if (revision === undefined) break;
    const attempt = await burst(target, revision, random, timeoutMs, deadline);
    sent += attempt.sent.length;
    if (attempt.what === undefined) continue;
    broke += 1;
    // The same last words mean the same fault: it is explained once.
    if (failures.some(({ what }) => what === attempt.what)) continue;
    failures.push(await explain(target, revision, attempt.sent, attempt.what, timeoutMs));
  }
  return { seed: options.seed, sent, failures };
}

interface Attempt {
  readonly sent: readonly JsonObject[];
  readonly what: string | undefined;
}

async function burst(
  target: ValidationTarget,
  revision: Revision,
  random: () => number,
  timeoutMs: number,
  deadline: number,
): Promise<Attempt> {
  const { session } = await openSession({ target, recorder: new Recorder(), revision, timeoutMs });
  const sent: JsonObject[] = [];
  try {
    const templates = templatesFor(session);
    while (performance.now() < deadline) {
      for (let count = 0; count < BURST; count += 1) {
        const template = templates[Math.floor(random() * templates.length)] ?? {};
        const message = garble(template, random);
        sent.push(message);
        await send(session, message);
      }
      const what = await broken(session);
      if (what !== undefined || sent.length >= BURST * 10) return { sent, what };
    }
    return { sent, what: undefined };
  } finally {
    await session.close();
  }
}

async function send(session: ValidatorSession, message: JsonObject): Promise<void> {
  const headers = typeof message.method === 'string' ? session.headersFor('ping', session.complete({})) : {};
  await session.connection.send(JSON.stringify(message), { headers, hostile: true }).then(
    (delivery) => delivery?.abort(),
    () => undefined,
  );
}

/** What no message may do to a server. */
async function broken(session: ValidatorSession): Promise<string | undefined> {
  if (session.connection.ended) return session.connection.epitaph;
  const reply = await session.request(session.stateless ? 'server/discover' : 'ping');
  if (session.connection.ended) return session.connection.epitaph;
  return reply.kind === 'result' ? undefined : `it no longer answers (${reply.received.slice(0, 200)})`;
}

function templatesFor(session: ValidatorSession): readonly JsonObject[] {
  const request = (method: string, params: JsonObject): JsonObject => ({
    jsonrpc: '2.0',
    id: session.nextId(),
    method,
    params: session.complete(params),
  });
  return [
    request('tools/list', { cursor: 'x' }),
    request('prompts/get', { name: 'x', arguments: { a: 'b' } }),
    request('resources/read', { uri: 'x://y' }),
    request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'x' },
      argument: { name: 'a', value: '' },
    }),
    // No tool is ever called by chance: the name stands for none.
    request('tools/call', { name: 'plumb_no_such_tool', arguments: { a: { b: 1 } } }),
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x', reason: 'y' } },
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'x', progress: 1 } },
    { jsonrpc: '2.0', id: 'nobody', result: {} },
  ];
}

/** Finds the message that did it, and takes away from it what it does not need. */
async function explain(
  target: ValidationTarget,
  revision: Revision,
  sent: readonly JsonObject[],
  what: string,
  timeoutMs: number,
): Promise<FuzzFailure> {
  const trials = new Trials(target, revision, timeoutMs);
  try {
    const culprit = await trials.first(sent.slice(-BURST));
    const message = JSON.stringify(culprit ?? sent.slice(-BURST));
    if (culprit === undefined)
      return { revision: revision.version, what, message, minimal: '(only several messages together do it)' };
    let least = culprit;
    for (let tries = 0; tries < MAX_SHRINKS; ) {
      const candidates = smaller(least).slice(0, MAX_SHRINKS - tries);
      const less = await trials.first(candidates);
      tries += less === undefined ? candidates.length : candidates.indexOf(less) + 1;
      if (less === undefined) break;
      least = less;
    }
    return { revision: revision.version, what, message, minimal: JSON.stringify(least) };
  } finally {
    await trials.close();
  }
}

/** Tries messages one after the other; a session that they did not break serves the next one. */
class Trials {
  readonly #target: ValidationTarget;
  readonly #revision: Revision;
  readonly #timeoutMs: number;
  #session: ValidatorSession | undefined;

  constructor(target: ValidationTarget, revision: Revision, timeoutMs: number) {
    this.#target = target;
    this.#revision = revision;
    this.#timeoutMs = timeoutMs;
  }

  /** The first of them that breaks a server by itself. */
  async first(candidates: readonly JsonObject[]): Promise<JsonObject | undefined> {
    for (const message of candidates) {
      const used = this.#session !== undefined;
      if (!(await this.#breaks(message))) continue;
      // What came before on the same session may have had a part in it.
      if (!used || (await this.#breaks(message))) return message;
    }
    return undefined;
  }

  async close(): Promise<void> {
    await this.#session?.close();
    this.#session = undefined;
  }

  async #breaks(message: JsonObject): Promise<boolean> {
    const session = this.#session ?? (await this.#open());
    this.#session = session;
    await send(session, message);
    const intact = (await broken(session)) === undefined;
    if (!intact) await this.close();
    return !intact;
  }

  async #open(): Promise<ValidatorSession> {
    const opening = {
      target: this.#target,
      recorder: new Recorder(),
      revision: this.#revision,
      timeoutMs: this.#timeoutMs,
    };
    return (await openSession(opening)).session;
  }
}
