/** The words and signs of an expression such as `content[0].text === '8'`. */

export interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'sign' | 'end';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A mistake in an expression, with the place where it stands. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Longer signs first. */
const SIGNS: readonly string[] = [
  '===',
  '!==',
  '...',
  '==',
  '!=',
  '>=',
  '<=',
  '=>',
  '&&',
  '||',
  '??',
  '?.',
  ...'><!()[]{},.+-*/%?:',
];

const SPACE = /\s/;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const character = source.charAt(at);
    if (SPACE.test(character)) {
      at += 1;
      continue;
    }
    const token =
      character === '"' || character === "'" || character === '`'
        ? textAt(source, at)
        : (wordAt(source, at) ?? signAt(source, at));
    tokens.push(token);
    at = token.end;
  }
  tokens.push({ kind: 'end', text: '', start: source.length, end: source.length });
  return tokens;
}

function wordAt(source: string, start: number): Token | undefined {
  for (const [kind, pattern] of [
    ['name', NAME],
    ['number', NUMBER],
  ] as const) {
    pattern.lastIndex = start;
    const [text] = pattern.exec(source) ?? [];
    if (text !== undefined) return { kind, text, start, end: start + text.length };
  }
  return undefined;
}

function signAt(source: string, start: number): Token {
  const text = SIGNS.find((sign) => source.startsWith(sign, start));
  if (text === undefined)
    throw new ExpressionError(`unexpected ${JSON.stringify(source.charAt(start))}`, start);
  return { kind: 'sign', text, start, end: start + text.length };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' };

function textAt(source: string, start: number): Token {
  const quote = source.charAt(start);
  let text = '';
  for (let at = start + 1; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (character === quote) return { kind: 'text', text, start, end: at + 1 };
    if (character !== '\\') {
      text += character;
      continue;
    }
    at += 1;
    const escaped = source.charAt(at);
    if (escaped === 'u' && /^[0-9a-fA-F]{4}$/.test(source.slice(at + 1, at + 5))) {
      text += String.fromCharCode(Number.parseInt(source.slice(at + 1, at + 5), 16));
      at += 4;
    } else text += ESCAPES[escaped] ?? escaped;
  }
  throw new ExpressionError(`the text that begins with ${quote} has no end`, start);
}
