/** Expressions of test files as trees. Nothing here runs code: `evaluate.ts` reads the tree. */

import { ExpressionError, type Token, tokenize } from './tokens.js';

interface Placed {
  /** Where it stands in the source. */
  readonly start: number;
  readonly end: number;
}

export type Expression = Placed &
  (
    | { readonly kind: 'literal'; readonly value: unknown }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'list'; readonly items: readonly Expression[] }
    | { readonly kind: 'member'; readonly of: Expression; readonly key: Expression }
    | { readonly kind: 'call'; readonly of: Expression; readonly args: readonly Expression[] }
    | { readonly kind: 'arrow'; readonly names: readonly string[]; readonly body: Expression }
    | { readonly kind: 'unary'; readonly operator: string; readonly of: Expression }
    | {
        readonly kind: 'binary';
        readonly operator: string;
        readonly left: Expression;
        readonly right: Expression;
      }
    | {
        readonly kind: 'choice';
        readonly condition: Expression;
        readonly then: Expression;
        readonly otherwise: Expression;
      }
  );

/** From the weakest to the strongest. */
const LEVELS: readonly (readonly string[])[] = [
  ['||', '??'],
  ['&&'],
  ['===', '!==', '==', '!='],
  ['>=', '<=', '>', '<'],
  ['+', '-'],
  ['*', '/', '%'],
];

const LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
]);

const MAX_DEPTH = 100;
const MAX_SOURCE = 10_000;

export function parseExpression(source: string): Expression {
  if (source.length > MAX_SOURCE)
    throw new ExpressionError(`an expression has at most ${MAX_SOURCE} characters`, 0);
  return new Parser(tokenize(source)).whole();
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const parsed = this.#expression();
    if (this.#next.kind !== 'end') throw this.#unexpected();
    return parsed;
  }

  get #next(): Token {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new ExpressionError('the expression ends too early', 0);
    return token;
  }

  #unexpected(): ExpressionError {
    const { kind, text, start } = this.#next;
    return new ExpressionError(
      kind === 'end' ? 'the expression ends too early' : `unexpected ${JSON.stringify(text)}`,
      start,
    );
  }

  #take(): Token {
    const token = this.#next;
    this.#at += 1;
    return token;
  }

  #is(sign: string): boolean {
    return this.#next.kind === 'sign' && this.#next.text === sign;
  }

  #skip(sign: string): boolean {
    if (!this.#is(sign)) return false;
    this.#at += 1;
    return true;
  }

  #name(): string | undefined {
    return this.#next.kind === 'name' ? this.#take().text : undefined;
  }

  #expect(sign: string): Token {
    if (!this.#is(sign)) throw this.#unexpected();
    return this.#take();
  }

  #expression(): Expression {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw new ExpressionError('the expression is nested too deeply', this.#next.start);
    const parsed = this.#arrow() ?? this.#choice();
    this.#depth -= 1;
    return parsed;
  }

  /** `item => ...` or `(item, index) => ...` */
  #arrow(): Expression | undefined {
    const from = this.#at;
    const { start } = this.#next;
    const names: string[] = [];
    const single = this.#name();
    if (single !== undefined) names.push(single);
    else if (this.#skip('(')) {
      for (let name = this.#name(); name !== undefined; name = this.#skip(',') ? this.#name() : undefined)
        names.push(name);
      this.#skip(')');
    }
    if (!this.#skip('=>')) {
      this.#at = from;
      return undefined;
    }
    const body = this.#expression();
    return { kind: 'arrow', names, body, start, end: body.end };
  }

  #choice(): Expression {
    const condition = this.#binary(0);
    if (!this.#skip('?')) return condition;
    const then = this.#expression();
    this.#expect(':');
    const otherwise = this.#expression();
    return { kind: 'choice', condition, then, otherwise, start: condition.start, end: otherwise.end };
  }

  #binary(level: number): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    while (this.#next.kind === 'sign' && operators.includes(this.#next.text)) {
      const operator = this.#take().text;
      const right = this.#binary(level + 1);
      left = { kind: 'binary', operator, left, right, start: left.start, end: right.end };
    }
    return left;
  }

  #unary(): Expression {
    const { start, text, kind } = this.#next;
    const isOperator = (kind === 'sign' && (text === '!' || text === '-')) || text === 'typeof';
    if (!isOperator || kind === 'text') return this.#postfix();
    this.#take();
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new ExpressionError('the expression is nested too deeply', start);
    const of = this.#unary();
    this.#depth -= 1;
    return { kind: 'unary', operator: text, of, start, end: of.end };
  }

  #postfix(): Expression {
    let of = this.#primary();
    for (;;) {
      const { start } = of;
      if (this.#skip('.') || this.#skip('?.')) {
        const { kind, text, start: at, end } = this.#take();
        if (kind !== 'name') throw new ExpressionError('a name is missing after the dot', at);
        of = { kind: 'member', of, key: { kind: 'literal', value: text, start: at, end }, start, end };
      } else if (this.#skip('[')) {
        const key = this.#expression();
        of = { kind: 'member', of, key, start, end: this.#expect(']').end };
      } else if (this.#skip('(')) {
        const args = this.#list(')');
        of = { kind: 'call', of, args: args.items, start, end: args.end };
      } else return of;
    }
  }

  #list(closing: string): { items: Expression[]; end: number } {
    const items: Expression[] = [];
    while (!this.#is(closing)) {
      items.push(this.#expression());
      if (!this.#skip(',')) break;
    }
    return { items, end: this.#expect(closing).end };
  }

  #primary(): Expression {
    const token = this.#take();
    const { kind, text, start, end } = token;
    if (kind === 'number') return { kind: 'literal', value: Number(text), start, end };
    if (kind === 'text') return { kind: 'literal', value: text, start, end };
    if (kind === 'name') {
      return LITERALS.has(text)
        ? { kind: 'literal', value: LITERALS.get(text), start, end }
        : { kind: 'name', name: text, start, end };
    }
    if (kind === 'sign' && text === '(') {
      const inner = this.#expression();
      return { ...inner, start, end: this.#expect(')').end };
    }
    if (kind === 'sign' && text === '[') {
      const { items, end: closed } = this.#list(']');
      return { kind: 'list', items, start, end: closed };
    }
    this.#at -= 1;
    throw this.#unexpected();
  }
}
