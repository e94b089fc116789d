/**
 * A call that needs input before it can finish (multi round-trip requests): reading the questions, answering them
 * all, and what the next attempt adds to the original params.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { McpError } from '../../protocol/errors.js';
import { invalidResult, messageOf, RefusedError } from '../errors.js';

export interface InputRequired {
  readonly questions: readonly Question[];
  /** Returned as it came, and only when it came. */
  readonly state: string | undefined;
}

export interface Question {
  readonly key: string;
  readonly method: string;
  readonly params: JsonObject;
}

export function parseInputRequired(method: string, result: JsonObject): InputRequired {
  const { inputRequests, requestState } = result;
  if (requestState !== undefined && typeof requestState !== 'string') {
    throw invalidResult(method, 'requestState must be a string');
  }
  if (inputRequests !== undefined && !isRecord(inputRequests)) {
    throw invalidResult(method, 'inputRequests must be an object');
  }
  if (inputRequests === undefined && requestState === undefined) {
    throw invalidResult(method, 'input_required without inputRequests and without requestState');
  }
  const questions = Object.entries(inputRequests ?? {}).map(([key, question]): Question => {
    if (!isRecord(question) || typeof question.method !== 'string') {
      throw invalidResult(method, `inputRequests.${key} has no method`);
    }
    return { key, method: question.method, params: isRecord(question.params) ? question.params : {} };
  });
  return { questions, state: requestState };
}

/** Answers all questions at once; the first that cannot be answered decides. */
export async function answerQuestions(
  questions: readonly Question[],
  answer: (question: Question) => Promise<JsonObject>,
): Promise<JsonObject> {
  const answers = questions.map(async (question): Promise<[string, JsonObject]> => {
    try {
      return [question.key, await answer(question)];
    } catch (error) {
      throw unanswered(question, error);
    }
  });
  return Object.fromEntries(await Promise.all(answers));
}

function unanswered(question: Question, cause: unknown): McpError {
  if (cause instanceof RefusedError) {
    return new McpError(
      'input_refused',
      `The call needs ${question.method}, and the user refused: ${cause.message}`,
      {
        cause,
      },
    );
  }
  return new McpError(
    'input_failed',
    `The call needs ${question.method}, which could not be answered: ${messageOf(cause)}; give connect() a handler that can`,
    { cause },
  );
}

/** What the next attempt adds to the original params. */
export function retryParams(params: JsonObject, input: InputRequired, answers: JsonObject): JsonObject {
  const retry: JsonObject = { ...params };
  if (input.questions.length > 0) retry.inputResponses = answers;
  if (input.state !== undefined) retry.requestState = input.state;
  return retry;
}
