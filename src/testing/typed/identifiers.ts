/** Names of servers as names of TypeScript: valid, not reserved, and each given once. */

/** Words that cannot be a name, and names that generated files use themselves. */
const TAKEN: readonly string[] = [
  'break case catch class const continue debugger default delete do else enum export extends false finally for function',
  'if import in instanceof new null return super switch this throw true try typeof var void while with yield let static',
  'implements interface package private protected public await async of arguments eval undefined NaN Infinity as from',
  'any unknown never object string number boolean symbol bigint type declare namespace module abstract get set',
  'Array Promise Record Object String Number Boolean Caller ToolResult PromptResult ResourceResult ContentBlock',
  'callTool getPrompt readResource createClient read resources client args uri index PlumbCaller SdkCaller',
].flatMap((line) => line.split(' '));

const MAX_LENGTH = 80;

export class Names {
  /** In lower case: some file systems do not tell them apart. */
  readonly #given = new Set(TAKEN.map((word) => word.toLowerCase()));

  /** `getUser` */
  value(name: string): string {
    const [first = '', ...rest] = wordsOf(name);
    return this.#unique(`${first.charAt(0).toLowerCase()}${first.slice(1)}${rest.map(capital).join('')}`);
  }

  /** `GetUser` */
  type(name: string): string {
    return this.#unique(wordsOf(name).map(capital).join(''));
  }

  #unique(wanted: string): string {
    const base = /^[a-zA-Z_]/.test(wanted) ? wanted : `_${wanted}`;
    let name = base;
    for (let count = 2; this.#given.has(name.toLowerCase()); count += 1) name = `${base}${count}`;
    this.#given.add(name.toLowerCase());
    return name;
  }
}

function wordsOf(name: string): string[] {
  return name
    .slice(0, MAX_LENGTH)
    .split(/[^a-zA-Z0-9]+/)
    .filter((word) => word !== '');
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** A text as a literal of TypeScript. */
export function literal(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** A doc comment that its text cannot end. */
export function docComment(text: string | undefined, indent = ''): string {
  const lines = (text ?? '')
    .replaceAll('*/', '*\\/')
    .split(/\r\n|[\n\r\u2028\u2029]/)
    // What a terminal or an editor would obey.
    .map((line) =>
      line
        .replaceAll('\t', ' ')
        .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
        .trimEnd(),
    );
  while (lines.length > 0 && lines[0] === '') lines.shift();
  while (lines.length > 0 && lines.at(-1) === '') lines.pop();
  const [only = ''] = lines;
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indent}/** ${only} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}
