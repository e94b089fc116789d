/** Answers given on the command line, for runs without a person: `--answer key=value` and `--answers JSON`. */

import type { JsonObject } from '../../jsonrpc/message.js';
import type { ElicitSchema } from '../../protocol/index.js';
import type { ElicitValue } from '../../protocol/model/elicitation.js';
import { assign, parseAssignment } from '../arguments/assignments.js';
import { readDocument } from '../arguments/document.js';
import { UsageError } from '../failure/failure.js';
import { fieldsOf, isElicitValue } from './fields.js';

export interface AnswerFlags {
  readonly answer?: readonly string[];
  readonly answers?: string;
}

export interface GivenAnswers {
  /** Whether any were given at all. */
  readonly any: boolean;
  /** Those that the form asks for, in the form's own types. */
  forForm(form: ElicitSchema): { [field: string]: ElicitValue };
}

export function readAnswers({ answer = [], answers }: AnswerFlags): GivenAnswers {
  const document = answers === undefined ? {} : readDocument('--answers', answers);
  // A typo should be noticed before the server is started.
  for (const word of answer) parseAssignment(word);
  return {
    any: answer.length > 0 || answers !== undefined,
    forForm: (form) => {
      const asked = answer.filter((word) => Object.hasOwn(form.properties, parseAssignment(word).key));
      return valuesOf(form, assign(asked, form, document));
    },
  };
}

function valuesOf(form: ElicitSchema, answers: JsonObject): { [field: string]: ElicitValue } {
  const content: { [field: string]: ElicitValue } = {};
  for (const { name } of fieldsOf(form)) {
    if (!Object.hasOwn(answers, name)) continue;
    const value = answers[name];
    if (!isElicitValue(value))
      throw new UsageError(`The answer "${name}" must be text, a number, true, false or a list of texts`);
    content[name] = value;
  }
  return content;
}

/** Required fields without an answer and without a default. */
export function missingFields(form: ElicitSchema, content: { [field: string]: ElicitValue }): string[] {
  return fieldsOf(form)
    .filter(
      ({ name, required, fallback }) => required && fallback === undefined && !Object.hasOwn(content, name),
    )
    .map(({ name }) => name);
}
