/** One call of a test file, with what is expected of it. */

import { isRecord } from '../../jsonrpc/message.js';
import {
  compileErrorExpectation,
  compileExpectation,
  type Expectation,
  ExpectationError,
} from '../expect/expectation.js';
import { parsePath } from '../expect/json-path.js';
import type { CancelDefinition, ScriptedAnswers, SnapshotDefinition, StepDefinition } from './definition.js';
import { SuiteError, SuiteFields } from './fields.js';

export const STEP_FIELDS: readonly string[] = [
  'args',
  'params',
  'meta',
  'expect',
  'error',
  'isError',
  'shouldThrow',
  'shouldExist',
  'count',
  'snapshot',
  'capture',
  'answers',
  'progress',
  'logs',
  'asked',
  'cancel',
  'timeout',
];

export interface StepPlace {
  readonly kind: StepDefinition['kind'];
  readonly subject: string;
}

/** Turns mistakes in expectations into mistakes of the file. */
function compiled<T>(compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (error instanceof ExpectationError) throw new SuiteError(error.message, { cause: error });
    throw error;
  }
}

export function parseStep(fields: SuiteFields, { kind, subject }: StepPlace): StepDefinition {
  const expected = fields.get('expect');
  const check = (name: string, shorthand?: (value: unknown) => unknown): Expectation | undefined => {
    const source = fields.get(name);
    if (source === undefined) return undefined;
    return compiled(() => compileExpectation(shorthand?.(source) ?? source, fields.place(name)));
  };
  const error = fields.get('error');
  return {
    kind,
    subject,
    args: fields.object('args') ?? fields.object('params'),
    meta: fields.object('meta'),
    expect: check('expect'),
    expected,
    error:
      error === undefined || error === false
        ? undefined
        : compiled(() => compileErrorExpectation(error, fields.place('error'))),
    isError: fields.boolean('isError'),
    shouldThrow: fields.boolean('shouldThrow') ?? false,
    shouldExist: fields.boolean('shouldExist'),
    count: check('count', (value) =>
      typeof value === 'number' || typeof value === 'string' ? { count: value } : undefined,
    ),
    snapshot: parseSnapshot(fields.get('snapshot'), fields.place('snapshot')),
    capture: captures(fields),
    answers: parseAnswers(fields.get('answers'), fields.place('answers')),
    progress: check('progress', atLeast),
    logs: check('logs', atLeast),
    asked: check('asked', atLeast),
    cancel: cancel(fields),
    timeout: fields.duration('timeout'),
  };
}

/** `true` is at least one, a number at least so many. */
function atLeast(value: unknown): unknown {
  if (value === true) return { count: '>= 1' };
  if (value === false) return { count: 0 };
  return typeof value === 'number' ? { count: `>= ${value}` } : undefined;
}

const SNAPSHOT_FIELDS = ['name', 'properties', 'include', 'exclude', 'updateSnapshot', 'snapshotDir'];

export function parseSnapshot(value: unknown, at: string): SnapshotDefinition | undefined {
  if (value === undefined || value === false) return undefined;
  const source = typeof value === 'string' ? { name: value } : value === true ? {} : value;
  const fields = new SuiteFields(source, at).known(SNAPSHOT_FIELDS);
  const include = [...fields.texts('properties'), ...fields.texts('include')];
  const exclude = fields.texts('exclude');
  for (const path of [...include, ...exclude]) {
    try {
      parsePath(path);
    } catch (cause) {
      throw new SuiteError(`${at}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  }
  return {
    name: fields.text('name'),
    include,
    exclude,
    update: fields.boolean('updateSnapshot'),
    directory: fields.text('snapshotDir'),
  };
}

function captures(fields: SuiteFields): ReadonlyMap<string, string> {
  const entries = Object.entries(fields.textMap('capture'));
  for (const [name, path] of entries) {
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new SuiteError(`${fields.place('capture')}.${name}: a name has letters, digits and _`);
    try {
      parsePath(path);
    } catch (cause) {
      throw new SuiteError(
        `${fields.place('capture')}.${name}: ${cause instanceof Error ? cause.message : cause}`,
        {
          cause,
        },
      );
    }
  }
  return new Map(entries);
}

export function parseAnswers(value: unknown, at: string): ScriptedAnswers | undefined {
  if (value === undefined) return undefined;
  const fields = new SuiteFields(value, at).known(['elicit', 'sample', 'roots']);
  const list = (name: string): readonly unknown[] => {
    const given = fields.get(name);
    return given === undefined ? [] : Array.isArray(given) ? given : [given];
  };
  return {
    elicit: list('elicit').map((answer, index) => elicitAnswer(answer, `${at}.elicit[${index}]`)),
    sample: list('sample'),
    roots: fields.has('roots') ? list('roots') : undefined,
  };
}

const ACTIONS = ['accept', 'decline', 'cancel'];

/** `decline`, `{ accept: { name: Ada } }`, a whole result, or the content of an accepted form. */
function elicitAnswer(answer: unknown, at: string): unknown {
  if (typeof answer === 'function') return answer;
  if (typeof answer === 'string') {
    // The form is filled in from its schema when it comes.
    if (answer === 'accept') return answer;
    if (ACTIONS.includes(answer)) return { action: answer };
    throw new SuiteError(`${at} must be accept, decline, cancel, or an object`);
  }
  if (!isRecord(answer)) throw new SuiteError(`${at} must be accept, decline, cancel, or an object`);
  if (typeof answer.action === 'string' && ACTIONS.includes(answer.action)) return answer;
  if (isRecord(answer.accept) && Object.keys(answer).length === 1)
    return { action: 'accept', content: answer.accept };
  return { action: 'accept', content: answer };
}

function cancel(fields: SuiteFields): CancelDefinition | undefined {
  const value = fields.get('cancel');
  if (value === undefined || value === false) return undefined;
  if (value === true) return { afterMs: 0, afterProgress: undefined };
  if (typeof value === 'number') return { afterMs: value, afterProgress: undefined };
  const inner = new SuiteFields(value, fields.place('cancel')).known(['after', 'afterProgress']);
  return { afterMs: inner.duration('after'), afterProgress: inner.count('afterProgress') };
}

/** `tool:suffix` is another test of `tool`, unless the server has a tool of that whole name. */
export function baseName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 1 ? name : name.slice(0, colon);
}
