/**
 * The part of Lua that the scripts of the store use, compiled to JavaScript: the model runs the scripts themselves
 * rather than a copy of them. Tables are lists here. Whatever the scripts do not use is an error at compile time.
 */

type Call = (...args: readonly unknown[]) => unknown;
export type CompiledScript = (call: Call, keys: readonly string[], args: readonly string[]) => unknown;

const compiled = new Map<string, CompiledScript>();

export function compileLua(source: string): CompiledScript {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const body = new Compiler(tokenize(source)).program();
  const build = new Function('lua', 'KEYS', 'ARGV', 'call', body);
  const script: CompiledScript = (call, keys, args) => build(runtime, keys, args, call);
  compiled.set(source, script);
  return script;
}

const TOKEN =
  /\s+|--[^\n]*|(?<name>[A-Za-z_][\w]*)|(?<number>\d+(?:\.\d+)?)|(?<text>'[^'\n]*')|(?<symbol>\.\.|==|~=|<=|>=|[-+*/#<>=(){}[\],.])/y;

function tokenize(source: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (match === null)
      throw new SyntaxError(`The model does not know this Lua: ${source.slice(at, at + 40)}`);
    const { name, number, text, symbol } = match.groups ?? {};
    const token = name ?? number ?? text ?? symbol;
    if (token !== undefined) tokens.push(token);
  }
  return tokens;
}

const BLOCK_ENDS: ReadonlySet<string | undefined> = new Set(['end', 'else', 'elseif', undefined]);
/** By precedence, loosest first. */
const OPERATORS: readonly Readonly<Record<string, string>>[] = [
  { or: 'or' },
  { and: 'and' },
  { '==': 'equal', '~=': 'differ', '<': 'less', '>': 'more', '<=': 'atMost', '>=': 'atLeast' },
  { '..': 'concat' },
  { '+': 'add', '-': 'subtract' },
  { '*': 'multiply', '/': 'divide' },
];
/** What the scripts call; their own functions are names as well. */
const LIBRARY: ReadonlySet<string> = new Set(['tonumber', 'ipairs', 'unpack']);

class Compiler {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  program(): string {
    const body = this.#block();
    if (this.#peek !== undefined) this.#fail();
    return `"use strict"; ${body}`;
  }

  get #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #next(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) this.#fail();
    this.#at += 1;
    return token;
  }

  #take(token: string): boolean {
    if (this.#peek !== token) return false;
    this.#at += 1;
    return true;
  }

  #expect(token: string): void {
    if (!this.#take(token)) this.#fail();
  }

  #fail(): never {
    const near = this.#tokens.slice(this.#at, this.#at + 8).join(' ');
    throw new SyntaxError(`The model does not know this Lua: ${near}`);
  }

  #block(): string {
    let body = '';
    while (!BLOCK_ENDS.has(this.#peek)) body += `${this.#statement()}\n`;
    return body;
  }

  #statement(): string {
    if (this.#take('local')) return this.#take('function') ? this.#function() : this.#local();
    if (this.#take('return')) return BLOCK_ENDS.has(this.#peek) ? 'return;' : `return ${this.#expression()};`;
    if (this.#take('break')) return 'break;';
    if (this.#take('if')) return this.#if();
    if (this.#take('while')) {
      const condition = this.#expression();
      return `while (lua.truthy(${condition})) { ${this.#loop()} }`;
    }
    if (this.#take('for')) return this.#for();
    return this.#assignment();
  }

  #function(): string {
    const name = this.#name();
    this.#expect('(');
    const parameters: string[] = [];
    while (!this.#take(')')) {
      parameters.push(this.#name());
      this.#take(',');
    }
    const body = this.#block();
    this.#expect('end');
    return `const ${name} = (${parameters.join(', ')}) => { ${body} };`;
  }

  #local(): string {
    const names = [this.#name()];
    while (this.#take(',')) names.push(this.#name());
    if (!this.#take('=')) return `let ${names.join(', ')};`;
    const values = this.#list();
    // The one function with several results is asked for all of them.
    const [only] = values;
    if (values.length === 1 && names.length > 1 && only !== undefined)
      return `let [${names.join(', ')}] = ${only.replace('lua.match(', 'lua.matches(')};`;
    return `let ${names.map((name, index) => `${name} = ${values[index]}`).join(', ')};`;
  }

  #if(): string {
    const condition = this.#expression();
    this.#expect('then');
    const body = this.#block();
    const head = `if (lua.truthy(${condition})) { ${body} }`;
    if (this.#take('elseif')) return `${head} else ${this.#if()}`;
    const rest = this.#take('else') ? ` else { ${this.#block()} }` : '';
    this.#expect('end');
    return head + rest;
  }

  #loop(): string {
    this.#expect('do');
    const body = this.#block();
    this.#expect('end');
    return body;
  }

  #for(): string {
    const names = [this.#name()];
    if (this.#take('=')) {
      const [from, to, step = '1'] = this.#list();
      return `for (let ${names[0]} = ${from}; ${names[0]} <= ${to}; ${names[0]} += ${step}) { ${this.#loop()} }`;
    }
    while (this.#take(',')) names.push(this.#name());
    this.#expect('in');
    return `for (const [${names.join(', ')}] of ${this.#expression()}) { ${this.#loop()} }`;
  }

  #assignment(): string {
    const target = this.#postfix();
    if (!this.#take('=')) return `${target};`;
    const value = this.#expression();
    const indexed = /^lua\.index\((.*)\)$/s.exec(target)?.[1];
    return indexed === undefined ? `${target} = ${value};` : `lua.assign(${indexed}, ${value});`;
  }

  #list(): string[] {
    const values = [this.#expression()];
    while (this.#take(',')) values.push(this.#expression());
    return values;
  }

  #expression(level = 0): string {
    const operators = OPERATORS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#expression(level + 1);
    for (;;) {
      const operator = operators[this.#peek ?? ''];
      if (operator === undefined) return left;
      this.#at += 1;
      const right = this.#expression(level + 1);
      if (operator === 'and') left = `((left) => lua.truthy(left) ? ${right} : left)(${left})`;
      else if (operator === 'or') left = `((left) => lua.truthy(left) ? left : ${right})(${left})`;
      else left = `lua.${operator}(${left}, ${right})`;
    }
  }

  #unary(): string {
    if (this.#take('not')) return `!lua.truthy(${this.#unary()})`;
    if (this.#take('#')) return `lua.length(${this.#unary()})`;
    if (this.#take('-')) return `lua.subtract(0, ${this.#unary()})`;
    return this.#postfix();
  }

  #postfix(): string {
    let value = this.#primary();
    for (;;) {
      if (this.#take('[')) {
        value = `lua.index(${value}, ${this.#expression()})`;
        this.#expect(']');
      } else if (this.#take('(')) {
        const args: string[] = [];
        while (!this.#take(')')) {
          args.push(this.#expression());
          this.#take(',');
        }
        value = `${value}(${args.join(', ')})`;
      } else return value;
    }
  }

  #primary(): string {
    const token = this.#next();
    if (/^\d/.test(token)) return token;
    if (token.startsWith("'")) return JSON.stringify(token.slice(1, -1));
    if (token === '(') {
      const inner = this.#expression();
      this.#expect(')');
      return `(${inner})`;
    }
    if (token === '{') {
      const items: string[] = [];
      while (!this.#take('}')) {
        items.push(this.#expression());
        this.#take(',');
      }
      return `[${items.join(', ')}]`;
    }
    if (token === 'nil') return 'undefined';
    if (token === 'true' || token === 'false' || token === 'KEYS' || token === 'ARGV') return token;
    if (this.#take('.')) {
      const member = this.#next();
      if (token === 'redis' && member === 'call') return 'call';
      if (token === 'string' || token === 'math') return `lua.${member}`;
      this.#fail();
    }
    if (token === 'unpack') return '...lua.unpack';
    return LIBRARY.has(token) ? `lua.${token}` : `$${token}`;
  }

  #name(): string {
    return `$${this.#next()}`;
  }
}

function toNumber(value: unknown): number {
  const number = typeof value === 'number' ? value : typeof value === 'string' ? Number(value) : Number.NaN;
  if (Number.isNaN(number)) throw new TypeError(`A script calculates with ${String(value)}`);
  return number;
}

function asList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`A script takes ${String(value)} for a table`);
  return value;
}

const patterns = new Map<unknown, RegExp>();

function pattern(text: unknown): RegExp {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  const compiled = new RegExp(String(text).replaceAll('%d', '\\d').replaceAll('%w', '[A-Za-z0-9]'));
  patterns.set(text, compiled);
  return compiled;
}

const runtime = {
  truthy: (value: unknown): boolean => value !== undefined && value !== false,
  equal: (a: unknown, b: unknown): boolean => a === b,
  differ: (a: unknown, b: unknown): boolean => a !== b,
  less: (a: unknown, b: unknown): boolean => toNumber(a) < toNumber(b),
  more: (a: unknown, b: unknown): boolean => toNumber(a) > toNumber(b),
  atMost: (a: unknown, b: unknown): boolean => toNumber(a) <= toNumber(b),
  atLeast: (a: unknown, b: unknown): boolean => toNumber(a) >= toNumber(b),
  add: (a: unknown, b: unknown): number => toNumber(a) + toNumber(b),
  subtract: (a: unknown, b: unknown): number => toNumber(a) - toNumber(b),
  multiply: (a: unknown, b: unknown): number => toNumber(a) * toNumber(b),
  divide: (a: unknown, b: unknown): number => toNumber(a) / toNumber(b),
  concat: (a: unknown, b: unknown): string => `${a}${b}`,
  length: (value: unknown): number => (typeof value === 'string' ? value.length : asList(value).length),
  index: (table: unknown, key: unknown): unknown => asList(table)[toNumber(key) - 1],
  assign: (table: unknown, key: unknown, value: unknown): void => {
    asList(table)[toNumber(key) - 1] = value;
  },
  tonumber: (value: unknown): number | undefined =>
    value === undefined || value === false ? undefined : toNumber(value),
  ipairs: (table: unknown): Iterable<[number, unknown]> =>
    asList(table).map((item, index): [number, unknown] => [index + 1, item]),
  unpack: (table: unknown, from: unknown = 1, to: unknown = undefined): unknown[] =>
    asList(table).slice(toNumber(from) - 1, to === undefined ? undefined : toNumber(to)),
  format: (template: unknown, value: unknown): string =>
    String(template).replace(/%\.(\d)f/, (_, digits) => toNumber(value).toFixed(Number(digits))),
  match: (text: unknown, wanted: unknown): string | undefined => {
    const found = pattern(wanted).exec(String(text));
    return found === null ? undefined : (found[1] ?? found[0]);
  },
  matches: (text: unknown, wanted: unknown): (string | undefined)[] =>
    pattern(wanted).exec(String(text))?.slice(1) ?? [],
  sub: (text: unknown, from: unknown, to: unknown): string =>
    String(text).slice(toNumber(from) - 1, toNumber(to)),
  floor: (value: unknown): number => Math.floor(toNumber(value)),
  ceil: (value: unknown): number => Math.ceil(toNumber(value)),
  max: (a: unknown, b: unknown): number => Math.max(toNumber(a), toNumber(b)),
};
