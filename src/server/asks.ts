/**
 * Questions a handler can put to the client: `ctx.ask({ name: elicit(...), summary: sample(...) })`.
 * A question is data, so that it can travel as a server request or inside an `input_required` result.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { invalidParams } from '../protocol/errors.js';
import type { ElicitSchema } from '../protocol/model/elicitation.js';
import type { Root } from '../protocol/model/roots.js';
import type { CreateMessageParams, CreateMessageResult } from '../protocol/model/sampling.js';
import type { AnySchema, InferOutput } from '../protocol/schema/infer.js';
import { createSchema, describeIssues, type Schema } from '../protocol/schema/schema.js';
import { toElicitSchema } from './elicit-schema.js';

export type AskMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

/** A question for `ctx.ask`, which asks several at once. */
export interface Ask<Answer> {
  readonly method: AskMethod;
  readonly params: JsonObject;
  /** Reads the client's answer; throws an invalid-params error when it is not one. */
  readonly parse: (answer: unknown) => Answer | Promise<Answer>;
}

/** What a user answered: `content` where they accepted. */
export type ElicitAnswer<Content> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined };

export type AnswersOf<Asks extends Readonly<Record<string, Ask<unknown>>>> = {
  -readonly [Key in keyof Asks]: Asks[Key] extends Ask<infer Answer> ? Answer : never;
};

const SCHEMAS = new WeakMap<object, { readonly schema: Schema; readonly shown: ElicitSchema }>();

/** Asks the user to fill in a form. The schema is a flat object of text, numbers, booleans and choices. */
export function elicit<const S extends AnySchema>(
  message: string,
  form: S,
): Ask<ElicitAnswer<InferOutput<S>>> {
  if (typeof message !== 'string' || form === undefined)
    throw new TypeError(
      "elicit takes a message and a form: elicit('Delete it?', z.object({ sure: z.boolean() }))",
    );
  let known = SCHEMAS.get(form);
  if (known === undefined) {
    const schema = createSchema(form, 'input');
    known = { schema, shown: toElicitSchema(schema.json) };
    SCHEMAS.set(form, known);
  }
  const { schema, shown } = known;
  return {
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema: shown },
    parse: async (answer) => {
      const action = parseAction(answer);
      if (action.action !== 'accept') return { action: action.action };
      const checked = await schema.check(action.content ?? {});
      if (checked.issues !== undefined) {
        throw invalidParams(`The answer does not fit the form: ${describeIssues(checked.issues)}`);
      }
      return { action: 'accept', content: checked.value as InferOutput<S> };
    },
  };
}

export type UrlAnswer = { readonly action: 'accept' | 'decline' | 'cancel' };

/** Asks the user to visit a page. Acceptance means consent to go there, not that anything was done there. */
export function elicitUrl(message: string, url: string): Ask<UrlAnswer> {
  return {
    method: 'elicitation/create',
    params: { mode: 'url', message, url, elicitationId: crypto.randomUUID() },
    parse: (answer) => ({ action: parseAction(answer).action }),
  };
}

export type SampleRequest = Omit<CreateMessageParams, '_meta' | 'task' | 'maxTokens'> & {
  maxTokens?: number | undefined;
};

const DEFAULT_MAX_TOKENS = 1000;

/** Asks the client's model. A string is a single user message. */
export function sample(request: string | SampleRequest): Ask<CreateMessageResult> {
  const params: SampleRequest =
    typeof request === 'string'
      ? { messages: [{ role: 'user', content: { type: 'text', text: request } }] }
      : request;
  return {
    method: 'sampling/createMessage',
    params: { maxTokens: DEFAULT_MAX_TOKENS, ...params },
    parse: (answer) => {
      if (!isRecord(answer) || typeof answer.role !== 'string' || answer.content === undefined) {
        throw invalidParams('The answer to sampling/createMessage needs "role" and "content"');
      }
      return { model: 'unknown', ...answer } as CreateMessageResult;
    },
  };
}

/** Asks for the client's roots. */
export function roots(): Ask<Root[]> {
  return {
    method: 'roots/list',
    params: {},
    parse: (answer) => {
      if (!isRecord(answer) || !Array.isArray(answer.roots)) {
        throw invalidParams('The answer to roots/list needs an array "roots"');
      }
      return answer.roots.filter(isRoot);
    },
  };
}

function isRoot(value: unknown): value is Root {
  return isRecord(value) && typeof value.uri === 'string';
}

function parseAction(answer: unknown): { action: 'accept' | 'decline' | 'cancel'; content?: JsonObject } {
  if (isRecord(answer)) {
    const { action, content } = answer;
    if (action === 'accept') return isRecord(content) ? { action, content } : { action };
    if (action === 'decline' || action === 'cancel') return { action };
  }
  throw invalidParams('The answer to elicitation/create needs "action": "accept", "decline" or "cancel"');
}
