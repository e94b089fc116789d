/**
 * Expectations of test files: a text (see `expression-check.ts`), a function, a list of which all must hold, or an object
 * of the operators below.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { JsonValidator } from '../../protocol/schema/dialect.js';
import { compileValidator } from '../../protocol/schema/validator.js';
import { differences } from './difference.js';
import { compileExpression, type Expectation } from './expression-check.js';
import { parsePath } from './json-path.js';
import { type Problem, shown } from './problem.js';
import { type Observed, plainValue, textOfResult } from './subject.js';

export type { Expectation } from './expression-check.js';

/** In code: returns false, or throws, when the result is not as expected. */
export type ExpectFunction = (result: unknown, subject: Observed) => unknown;

/** Says where in the file a mistake is. */
export class ExpectationError extends Error {
  override readonly name = 'ExpectationError';
}

type Operator = (argument: unknown, at: string) => Expectation;

export function compileExpectation(source: unknown, at: string): Expectation {
  if (typeof source === 'string') return expression(source, at);
  if (isFunction(source)) return custom(source);
  if (Array.isArray(source))
    return all(source.map((part, index) => compileExpectation(part, `${at}[${index}]`)));
  if (isRecord(source)) {
    const checks = Object.entries(source).map(([name, argument]) => {
      const operator = OPERATORS[name];
      if (operator === undefined)
        throw new ExpectationError(
          `${at}.${name} is not an expectation; known: ${Object.keys(OPERATORS).join(', ')}`,
        );
      return operator(argument, `${at}.${name}`);
    });
    return all(checks);
  }
  throw new ExpectationError(`${at} must be a text, an object, a list or a function`);
}

function isFunction(value: unknown): value is ExpectFunction {
  return typeof value === 'function';
}

function expression(source: string, at: string): Expectation {
  try {
    return compileExpression(source);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ExpectationError(`${at}: ${JSON.stringify(source)} is not an expression: ${message}`, {
      cause,
    });
  }
}

function custom(check: ExpectFunction): Expectation {
  return async (subject) => {
    try {
      const verdict = await check(subject.result, subject);
      return verdict === false ? [{ message: `the function ${check.name || 'expect'} returned false` }] : [];
    } catch (error) {
      return [{ message: error instanceof Error ? error.message : String(error) }];
    }
  };
}

function all(checks: readonly Expectation[]): Expectation {
  return async (subject) => {
    const problems: Problem[] = [];
    for (const check of checks) problems.push(...(await check(subject)));
    return problems;
  };
}

/** The value that operators compare: at the top the value that the tool returned. */
const returnedValue = (subject: Observed): unknown => plainValue(subject.result);

function comparison(sign: string, holds: (actual: number, wanted: number) => boolean): Operator {
  return (argument, at) => {
    if (typeof argument !== 'number') throw new ExpectationError(`${at} must be a number`);
    return (subject) => {
      const actual = returnedValue(subject);
      const number = typeof actual === 'number' ? actual : Number.NaN;
      return holds(number, argument)
        ? []
        : [{ message: `expected a number ${sign} ${argument}`, expected: `${sign} ${argument}`, actual }];
    };
  };
}

/** `3`, or `>= 3` and its relatives. */
function measured(what: string, measure: (subject: Observed) => unknown): Operator {
  return (argument, at) => {
    if (typeof argument !== 'number' && typeof argument !== 'string')
      throw new ExpectationError(`${at} must be a number, or text such as ">= 3"`);
    const source = typeof argument === 'number' ? `=== ${argument}` : argument.trim();
    if (!/^(===?|!==?|>=?|<=?)\s*-?\d+(\.\d+)?$/.test(source))
      throw new ExpectationError(`${at} must be a number, or text such as ">= 3"`);
    const check = compileExpression(`value ${source}`);
    return async (subject) => {
      const actual = measure(subject);
      const problems = await check({ result: { value: actual } });
      return problems.length === 0
        ? []
        : [{ message: `expected ${what} ${source}, got ${shown(actual)}`, expected: source, actual }];
    };
  };
}

/** One that has them is written for the whole result. */
const RESULT_FIELDS = ['content', 'contents', 'messages', 'structuredContent', 'isError'];

function compare(mode: 'exact' | 'partial'): Operator {
  return (expected) => (subject) => {
    // Written for the whole result, or for the value that the tool returned.
    const candidates = [subject.result, returnedValue(subject)].map((value) =>
      differences(expected, value, mode),
    );
    const [whole = [], value = []] = candidates;
    if (whole.length === 0 || value.length === 0) return [];
    const closer = isRecord(expected) && RESULT_FIELDS.some((field) => field in expected);
    return (closer ? whole : value).map((difference) => ({
      message: `differs at ${difference.path || 'the value itself'}`,
      ...difference,
    }));
  };
}

function pattern(argument: unknown, at: string): RegExp {
  if (argument instanceof RegExp) return argument;
  if (typeof argument !== 'string') throw new ExpectationError(`${at} must be a regular expression`);
  const [, body, flags] = /^\/(.+)\/([dimsuvy]*)$/s.exec(argument) ?? [];
  try {
    return body === undefined ? new RegExp(argument, 'u') : new RegExp(body, flags);
  } catch (cause) {
    throw new ExpectationError(`${at}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

function textOf({ result }: Observed): string {
  return typeof result === 'string' || typeof result === 'number' ? String(result) : textOfResult(result);
}

const OPERATORS: Readonly<Record<string, Operator | undefined>> = Object.assign(Object.create(null), {
  equals: compare('exact'),
  partial: compare('partial'),
  contains: (argument) => {
    const wanted: readonly unknown[] = Array.isArray(argument) ? argument : [argument];
    return (subject) => {
      const { result } = subject;
      const has = (item: unknown): boolean =>
        Array.isArray(result)
          ? result.some((candidate) => differences(item, candidate, 'partial').length === 0)
          : textOf(subject).includes(String(item));
      return wanted
        .filter((item) => !has(item))
        .map((item) => ({
          message: `does not contain ${shown(item)}`,
          expected: item,
          actual: textOf(subject),
        }));
    };
  },
  matches: (argument, at) => {
    const expected = pattern(argument, at);
    return (subject) => {
      const text = textOf(subject);
      return expected.test(text)
        ? []
        : [{ message: `does not match ${expected}`, expected: String(expected), actual: text }];
    };
  },
  gt: comparison('>', (actual, wanted) => actual > wanted),
  gte: comparison('>=', (actual, wanted) => actual >= wanted),
  lt: comparison('<', (actual, wanted) => actual < wanted),
  lte: comparison('<=', (actual, wanted) => actual <= wanted),
  length: measured('length', ({ result }) =>
    typeof result === 'string' || Array.isArray(result) ? result.length : textOfResult(result).length,
  ),
  count: measured('count', ({ result, count }) => {
    if (count !== undefined) return count;
    return Array.isArray(result) ? result.length : firstList(result)?.length;
  }),
  duration: measured('duration (ms)', ({ duration }) => duration),
  type: (argument) => (subject) => {
    const actual = typeName(subject.result);
    return actual === argument
      ? []
      : [{ message: `expected ${shown(argument)}`, expected: argument, actual }];
  },
  schema: (argument, at) => {
    if (!isRecord(argument)) throw new ExpectationError(`${at} must be a JSON Schema`);
    let validator: Promise<JsonValidator> | undefined;
    return async (subject) => {
      validator ??= compileValidator(argument);
      const actual = returnedValue(subject);
      const issues = (await validator)(actual) ?? [];
      return issues.map(({ path, message }) => ({
        message: `does not fit the schema: ${message}`,
        path,
        actual,
      }));
    };
  },
  path: (argument, at) => {
    if (!isRecord(argument)) throw new ExpectationError(`${at} must be an object of paths`);
    return all(Object.entries(argument).map(([path, expected]) => atPath(path, expected, `${at}[${path}]`)));
  },
  expression: (argument, at) => expression(String(argument), at),
  not: (argument, at) => {
    const check = compileExpectation(argument, at);
    return async (subject) =>
      (await check(subject)).length > 0
        ? []
        : [{ message: `expected not: ${shown(argument)}`, actual: subject.result }];
  },
  anyOf: (argument, at) => {
    if (!Array.isArray(argument)) throw new ExpectationError(`${at} must be a list`);
    const checks = argument.map((part, index) => compileExpectation(part, `${at}[${index}]`));
    return async (subject) => {
      const problems: Problem[] = [];
      for (const check of checks) {
        const found = await check(subject);
        if (found.length === 0) return [];
        problems.push(...found);
      }
      return problems;
    };
  },
} satisfies Record<string, Operator>);

function firstList(result: unknown): readonly unknown[] | undefined {
  if (!isRecord(result)) return undefined;
  return Object.values(result).find((value): value is unknown[] => Array.isArray(value));
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** An object of operators is an expectation of the value there; everything else is the value. */
function atPath(path: string, expected: unknown, at: string): Expectation {
  const parsed = parsePath(path);
  const isExpectation =
    (isRecord(expected) &&
      Object.keys(expected).length > 0 &&
      Object.keys(expected).every((key) => key in OPERATORS)) ||
    isFunction(expected);
  const check = isExpectation ? compileExpectation(expected, at) : undefined;
  return async (subject) => {
    const root = placesIn(subject, parsed.places(subject.result).length > 0);
    const places = parsed.places(root);
    if (places.length === 0) return [{ message: `there is nothing at ${path}`, path, expected }];
    const value: unknown = parsed.isPlural ? places.map((place) => place.value) : places[0]?.value;
    if (check !== undefined) {
      const problems = await check({ ...subject, result: value, count: undefined });
      return problems.map((problem) => ({
        ...problem,
        path: [path, problem.path].filter(Boolean).join('.'),
      }));
    }
    return differences(expected, value, 'exact').map((difference) => ({
      message: `differs at ${path}`,
      ...difference,
      path: difference.path === '' ? path : `${path}.${difference.path}`,
    }));
  };
}

/** The result, or the value that the tool returned where the path is only there. */
function placesIn(subject: Observed, isInResult: boolean): unknown {
  if (isInResult) return subject.result;
  const value = returnedValue(subject);
  return typeof value === 'object' && value !== null ? value : subject.result;
}

/** What a JSON-RPC error must be: true for any, a code, or its fields. */
export function compileErrorExpectation(
  source: unknown,
  at: string,
): (error: JsonObject) => readonly Problem[] {
  if (source === true) return () => [];
  if (typeof source === 'number')
    return (error) =>
      error.code === source
        ? []
        : [{ message: `expected error ${source}`, path: 'code', expected: source, actual: error.code }];
  if (typeof source === 'string')
    return (error) =>
      String(error.message).includes(source)
        ? []
        : [
            {
              message: `the error does not say ${shown(source)}`,
              path: 'message',
              expected: source,
              actual: error.message,
            },
          ];
  if (!isRecord(source))
    throw new ExpectationError(`${at} must be true, a code, a text or { code, message, data }`);
  const { code, message, data, ...rest } = source;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new ExpectationError(`${at}.${unknown} is not known; use code, message and data`);
  const codes: readonly unknown[] = Array.isArray(code) ? code : [code];
  const expected = message === undefined ? undefined : pattern(message, `${at}.message`);
  return (error) => {
    const problems: Problem[] = [];
    if (code !== undefined && !codes.includes(error.code))
      problems.push({ message: 'another error code', path: 'code', expected: code, actual: error.code });
    if (expected !== undefined && !expected.test(String(error.message)))
      problems.push({
        message: `the message does not match ${expected}`,
        path: 'message',
        actual: error.message,
      });
    if (data !== undefined)
      problems.push(
        ...differences(data, error.data, 'partial').map((difference) => ({
          message: 'differs in its data',
          ...difference,
          path: `data.${difference.path}`,
        })),
      );
    return problems;
  };
}
