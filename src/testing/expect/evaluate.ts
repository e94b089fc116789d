/**
 * Reads the tree of an expression against a value. There is no way from here to code: members are own properties of data,
 * and methods come from the table below.
 */

import { isRecord } from '../../jsonrpc/message.js';
import type { Expression } from './expression.js';
import { ExpressionError } from './tokens.js';

/** What a name stands for; undefined when it stands for nothing. */
export type NameScope = (name: string) => { readonly value: unknown } | undefined;

/** Bounds what one expression may cost: `items.every(a => items.every(b => ...))` of a long list. */
const MAX_STEPS = 200_000;

type Callback = (...values: unknown[]) => unknown;

export class Evaluation {
  readonly #scope: NameScope;
  #steps = 0;

  constructor(scope: NameScope) {
    this.#scope = scope;
  }

  value(node: Expression): unknown {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) throw new ExpressionError('the expression takes too many steps', node.start);
    switch (node.kind) {
      case 'literal':
        return node.value;
      case 'name':
        return this.#scope(node.name)?.value;
      case 'list':
        return node.items.map((item) => this.value(item));
      case 'member':
        return memberOf(this.value(node.of), this.value(node.key));
      case 'call':
        return this.#call(node);
      case 'unary':
        return this.#unary(node);
      case 'binary':
        return this.#binary(node);
      case 'choice':
        return this.value(this.value(node.condition) ? node.then : node.otherwise);
      case 'arrow':
        throw new ExpressionError('a function stands where a value is expected', node.start);
    }
  }

  #unary({ operator, of }: Extract<Expression, { kind: 'unary' }>): unknown {
    const value = this.value(of);
    if (operator === '!') return !value;
    return operator === '-' ? -Number(value) : typeof value;
  }

  #binary({ operator, left, right }: Extract<Expression, { kind: 'binary' }>): unknown {
    const first = this.value(left);
    if (operator === '&&') return first && this.value(right);
    if (operator === '||') return first || this.value(right);
    if (operator === '??') return first ?? this.value(right);
    const second = this.#operand(right);
    return applyOperator(operator, first, second);
  }

  /** A word that stands for nothing is a text: older test files write texts without quotes. */
  #operand(node: Expression): unknown {
    if (node.kind === 'name' && this.#scope(node.name) === undefined) return node.name;
    return this.value(node);
  }

  #call(node: Extract<Expression, { kind: 'call' }>): unknown {
    const { of, args } = node;
    const given = args.map((arg) => (arg.kind === 'arrow' ? this.#callback(arg) : this.value(arg)));
    if (of.kind === 'name' && FUNCTIONS[of.name] !== undefined) return FUNCTIONS[of.name]?.(...given);
    if (of.kind !== 'member') throw new ExpressionError('only methods of values can be called', of.start);
    const method = String(this.value(of.key));
    if (of.of.kind === 'name' && this.#scope(of.of.name) === undefined) {
      const known = FUNCTIONS[`${of.of.name}.${method}`];
      if (known !== undefined) return known(...given);
    }
    const subject = this.value(of.of);
    const known = METHODS[method];
    if (known === undefined)
      throw new ExpressionError(
        `there is no method ${method}(); known: ${Object.keys(METHODS).join(', ')}`,
        of.key.start,
      );
    return known(subject, ...given);
  }

  #callback({ names, body }: Extract<Expression, { kind: 'arrow' }>): Callback {
    return (...values) => {
      const inner = new Evaluation((name) => {
        const index = names.indexOf(name);
        return index < 0 ? this.#scope(name) : { value: values[index] };
      });
      inner.#steps = this.#steps;
      const result = inner.value(body);
      this.#steps = inner.#steps;
      return result;
    };
  }
}

/** Own properties of objects and lists, and the length of lists and texts. */
export function memberOf(value: unknown, key: unknown): unknown {
  if (typeof value === 'string') {
    if (key === 'length') return value.length;
    return typeof key === 'number' ? value[key] : undefined;
  }
  if (Array.isArray(value)) {
    if (key === 'length') return value.length;
    const index = Number(key);
    return Number.isInteger(index) ? value[index] : undefined;
  }
  return isRecord(value) && Object.hasOwn(value, String(key)) ? value[String(key)] : undefined;
}

export function applyOperator(operator: string, left: unknown, right: unknown): unknown {
  switch (operator) {
    case '===':
      return left === right;
    case '!==':
      return left !== right;
    case '==':
      return looselyEqual(left, right);
    case '!=':
      return !looselyEqual(left, right);
    case '+':
      return typeof left === 'string' || typeof right === 'string'
        ? `${plain(left)}${plain(right)}`
        : Number(left) + Number(right);
    case '-':
      return Number(left) - Number(right);
    case '*':
      return Number(left) * Number(right);
    case '/':
      return Number(left) / Number(right);
    case '%':
      return Number(left) % Number(right);
    default:
      return ordered(operator, left, right);
  }
}

/** Numbers with numbers and texts with texts: `undefined > 0` and `'10' > 9` are false rather than a surprise. */
function ordered(operator: string, left: unknown, right: unknown): boolean {
  const comparable =
    (typeof left === 'number' && typeof right === 'number') ||
    (typeof left === 'string' && typeof right === 'string');
  if (!comparable) return false;
  switch (operator) {
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    default:
      throw new ExpressionError(`unknown operator ${operator}`, 0);
  }
}

/** As `==` of JavaScript between the values of JSON. */
function looselyEqual(left: unknown, right: unknown): boolean {
  if (left === undefined || left === null) return right === undefined || right === null;
  if (right === undefined || right === null) return false;
  if (typeof left === typeof right) return left === right;
  if (typeof left === 'object' || typeof right === 'object') return plain(left) === plain(right);
  return Number(left) === Number(right);
}

function plain(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

type Method = (subject: unknown, ...args: unknown[]) => unknown;

const onText = (run: (text: string, ...args: unknown[]) => unknown): Method => {
  return (subject, ...args) => (typeof subject === 'string' ? run(subject, ...args) : undefined);
};

const onList = (run: (list: readonly unknown[], callback: Callback) => unknown): Method => {
  return (subject, callback) => {
    if (!Array.isArray(subject)) return undefined;
    return run(
      subject,
      typeof callback === 'function' ? (...values) => callback(...values) : (value) => value,
    );
  };
};

const onEither = (run: (subject: string | readonly unknown[], ...args: unknown[]) => unknown): Method => {
  return (subject, ...args) =>
    typeof subject === 'string' || Array.isArray(subject) ? run(subject, ...args) : undefined;
};

/** Without a prototype, so that no name reaches beyond the table. */
const METHODS: Readonly<Record<string, Method | undefined>> = Object.assign(Object.create(null), {
  includes: onEither((subject, item) =>
    typeof subject === 'string' ? subject.includes(String(item)) : subject.includes(item),
  ),
  indexOf: onEither((subject, item) =>
    typeof subject === 'string' ? subject.indexOf(String(item)) : subject.indexOf(item),
  ),
  slice: onEither((subject, from, to) =>
    subject.slice(from === undefined ? 0 : Number(from), to === undefined ? undefined : Number(to)),
  ),
  at: onEither((subject, index) => subject.at(Number(index))),
  startsWith: onText((text, start) => text.startsWith(String(start))),
  endsWith: onText((text, end) => text.endsWith(String(end))),
  toLowerCase: onText((text) => text.toLowerCase()),
  toUpperCase: onText((text) => text.toUpperCase()),
  trim: onText((text) => text.trim()),
  split: onText((text, separator) => text.split(String(separator))),
  every: onList((list, callback) => list.every((item, index) => Boolean(callback(item, index)))),
  some: onList((list, callback) => list.some((item, index) => Boolean(callback(item, index)))),
  filter: onList((list, callback) => list.filter((item, index) => Boolean(callback(item, index)))),
  find: onList((list, callback) => list.find((item, index) => Boolean(callback(item, index)))),
  map: onList((list, callback) => list.map((item, index) => callback(item, index))),
  join: (subject: unknown, separator: unknown) =>
    Array.isArray(subject)
      ? subject.map(plain).join(separator === undefined ? ',' : String(separator))
      : undefined,
  toString: (subject: unknown) => plain(subject),
  toFixed: (subject: unknown, digits: unknown) => Number(subject).toFixed(Number(digits ?? 0)),
} satisfies Record<string, Method>);

const FUNCTIONS: Readonly<Record<string, Callback | undefined>> = Object.assign(Object.create(null), {
  'Array.isArray': (value: unknown) => Array.isArray(value),
  'Object.keys': (value: unknown) => (isRecord(value) ? Object.keys(value) : []),
  'Object.values': (value: unknown) => (isRecord(value) ? Object.values(value) : []),
  'Number.isInteger': (value: unknown) => Number.isInteger(value),
  'Math.abs': (value: unknown) => Math.abs(Number(value)),
  'JSON.parse': (value: unknown) => parseJson(value),
  'JSON.stringify': (value: unknown) => JSON.stringify(value),
  Number: (value: unknown) => Number(value),
  String: (value: unknown) => plain(value),
  Boolean: (value: unknown) => Boolean(value),
  exists: (value: unknown) => value !== undefined && value !== null,
} satisfies Record<string, Callback>);

function parseJson(value: unknown): unknown {
  try {
    return JSON.parse(String(value));
  } catch {
    return undefined;
  }
}
