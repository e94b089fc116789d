/** Answers to the questions of a server, as the test file scripts them, and the record of what was asked. */

import { RefusedError } from '../../client/errors.js';
import type { AskHandlers } from '../../client/input/asks.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { ElicitParams, ElicitResult, ElicitValue } from '../../protocol/model/elicitation.js';
import type { Root } from '../../protocol/model/roots.js';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/model/sampling.js';
import { validArguments } from '../../validate/generate/arguments.js';
import type { ScriptedAnswers } from '../suite/definition.js';
import { toRoot } from './roots.js';

const MAX_ASKED = 1_000;

/** One for each connection: a question of the server goes to the script of the case that runs. */
export class ScriptedResponder {
  readonly #fallback: ScriptedAnswers | undefined;
  #script: AnswerScript;

  constructor(fallback: ScriptedAnswers | undefined) {
    this.#fallback = fallback;
    this.#script = new AnswerScript(fallback);
  }

  /** From now on for this case. */
  begin(answers: ScriptedAnswers | undefined): AnswerScript {
    this.#script = new AnswerScript(answers ?? this.#fallback);
    return this.#script;
  }

  handlers(): AskHandlers {
    return {
      elicit: (params) => this.#script.elicit(params),
      sample: (params) => this.#script.sample(params),
      sampleTools: true,
      roots: () => this.#script.roots(),
    };
  }
}

export class AnswerScript {
  readonly asked: JsonObject[] = [];
  readonly #answers: ScriptedAnswers | undefined;
  #elicited = 0;
  #sampled = 0;

  constructor(answers: ScriptedAnswers | undefined) {
    this.#answers = answers;
  }

  /** Questions without an answer in the file. */
  get unanswered(): readonly string[] {
    return this.#unanswered;
  }
  readonly #unanswered: string[] = [];

  async elicit(params: ElicitParams): Promise<ElicitResult> {
    this.#note('elicitation/create', { ...params });
    const list = this.#answers?.elicit ?? [];
    const answer = list[Math.min(this.#elicited, list.length - 1)];
    this.#elicited += 1;
    const given: unknown = typeof answer === 'function' ? await answer(params) : answer;
    if (given === undefined) {
      this.#unanswered.push(`elicitation (${params.message})`);
      return { action: 'decline' };
    }
    return given === 'accept' ? acceptedForm(params) : readElicitAnswer(given);
  }

  async sample(params: CreateMessageParams): Promise<CreateMessageResult> {
    this.#note('sampling/createMessage', { ...params });
    const list = this.#answers?.sample ?? [];
    const answer = list[Math.min(this.#sampled, list.length - 1)];
    this.#sampled += 1;
    const given: unknown = typeof answer === 'function' ? await answer(params) : answer;
    if (given === undefined) {
      this.#unanswered.push('sampling');
      throw new RefusedError('The test file has no answer to sampling; add answers.sample');
    }
    return readSample(given);
  }

  roots(): Root[] {
    this.#note('roots/list', {});
    return (this.#answers?.roots ?? []).map(toRoot);
  }

  #note(method: string, params: JsonObject): void {
    if (this.asked.length < MAX_ASKED) this.asked.push({ method, ...params });
  }
}

/** Every field that is required, and those with a default. */
function acceptedForm(params: ElicitParams): ElicitResult {
  if (params.mode === 'url') return { action: 'accept' };
  return readElicitAnswer({ action: 'accept', content: validArguments(params.requestedSchema) });
}

function readElicitAnswer(given: unknown): ElicitResult {
  const { action, content } = isRecord(given) ? given : {};
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel')
    throw new TypeError('An answer to elicitation is accept, decline, cancel, or the content of the form');
  if (!isRecord(content)) return { action };
  const values = Object.entries(content).filter((entry): entry is [string, ElicitValue] => isValue(entry[1]));
  return { action, content: Object.fromEntries(values) };
}

function isValue(value: unknown): value is ElicitValue {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** A text, `{ text, model }`, or the fields of a result. */
function readSample(given: unknown): CreateMessageResult {
  const fields = isRecord(given) ? given : { text: String(given) };
  const { text, model = 'test', role, stopReason, content } = fields;
  const block = isRecord(content) ? content : { type: 'text', text: String(text ?? '') };
  if (typeof block.type !== 'string') throw new TypeError('The content of a sampling answer needs a type');
  const result = {
    role: role === 'user' ? ('user' as const) : ('assistant' as const),
    model: String(model),
    content: block,
    ...(stopReason === undefined ? {} : { stopReason: String(stopReason) }),
  };
  assertSample(result);
  return result;
}

function assertSample(value: object): asserts value is CreateMessageResult {
  const content: unknown = Reflect.get(value, 'content');
  if (!isRecord(content) || typeof content.type !== 'string')
    throw new TypeError('A sampling answer has content');
}
