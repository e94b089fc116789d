/**
 * RFC 6570 URI templates, read backwards: from a URI to the variables.
 * Matching never backtracks (each expression ends where the next literal first begins), so its time is
 * linear in the URI whatever the template; a regular expression here was an attack on other servers.
 */

interface Variable {
  readonly name: string;
  readonly explode: boolean;
}

interface Expression {
  readonly operator: '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';
  readonly variables: readonly Variable[];
}

type Part = string | Expression;

export type TemplateVariables = { [name: string]: string | string[] };

export interface UriTemplate {
  readonly template: string;
  readonly names: readonly string[];
  /** The variables, decoded, or undefined when the URI is not of this template. */
  match(uri: string): TemplateVariables | undefined;
}

const OPERATORS = '+#./;?&';
const NAME = /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})*$/;

export function isUriTemplate(text: string): boolean {
  return text.includes('{');
}

export function parseUriTemplate(template: string): UriTemplate {
  const parts = parseParts(template);
  const names = parts.flatMap((part) =>
    typeof part === 'string' ? [] : part.variables.map(({ name }) => name),
  );
  if (new Set(names).size !== names.length)
    throw new TypeError(`URI template "${template}" names a variable twice`);
  const lists = parts.flatMap((part) =>
    typeof part === 'string' ? [] : part.variables.filter(({ explode }) => explode).map(({ name }) => name),
  );
  const match = (uri: string): TemplateVariables | undefined => {
    const variables = matchParts(parts, uri);
    if (variables === undefined || lists.length === 0) return variables;
    const absent = lists.filter((name) => !Object.hasOwn(variables, name));
    return absent.length === 0
      ? variables
      : { ...variables, ...Object.fromEntries(absent.map((name) => [name, []])) };
  };
  return { template, names, match };
}

function parseParts(template: string): readonly Part[] {
  const parts: Part[] = [];
  let position = 0;
  while (position < template.length) {
    const open = template.indexOf('{', position);
    if (open === -1) {
      parts.push(template.slice(position));
      break;
    }
    if (open > position) parts.push(template.slice(position, open));
    const close = template.indexOf('}', open);
    if (close === -1) throw new TypeError(`URI template "${template}" has an unclosed "{"`);
    parts.push(parseExpression(template, template.slice(open + 1, close)));
    position = close + 1;
  }
  return parts;
}

function parseExpression(template: string, body: string): Expression {
  const first = body.charAt(0);
  const operator = first !== '' && OPERATORS.includes(first) ? (first as Expression['operator']) : '';
  const variables = body
    .slice(operator.length)
    .split(',')
    .map((spec): Variable => {
      const explode = spec.endsWith('*');
      const name = (explode ? spec.slice(0, -1) : spec).replace(/:\d{1,4}$/, '');
      if (!NAME.test(name))
        throw new TypeError(`URI template "${template}" has a bad variable name "${spec}"`);
      return { name, explode };
    });
  return { operator, variables };
}

function matchParts(parts: readonly Part[], uri: string): TemplateVariables | undefined {
  const variables: TemplateVariables = {};
  let position = 0;
  for (const [index, part] of parts.entries()) {
    if (typeof part === 'string') {
      if (!uri.startsWith(part, position)) return undefined;
      position += part.length;
      continue;
    }
    const end = endOfExpression(parts, index, part, uri, position);
    if (end < position || !readExpression(part, uri.slice(position, end), variables)) return undefined;
    position = end;
  }
  return position === uri.length ? variables : undefined;
}

/** Where the text of this expression ends: at the next literal, at the next expression's operator, or at the end. */
function endOfExpression(
  parts: readonly Part[],
  index: number,
  own: Expression,
  uri: string,
  position: number,
): number {
  const next = parts[index + 1];
  if (next === undefined) return uri.length;
  if (typeof next === 'string') {
    // The last literal is anchored at the end, so that `{+path}/data` takes the longest path.
    if (index + 2 === parts.length) return uri.endsWith(next) ? uri.length - next.length : -1;
    return uri.indexOf(next, position);
  }
  if (next.operator === '' || next.operator === '+') return uri.length;
  // An expression with an operator of its own may be absent; then the next one begins right here.
  const optional = own.operator !== '' && own.operator !== '+' && own.operator !== next.operator;
  const found = uri.indexOf(next.operator, optional ? position : position + 1);
  return found === -1 ? uri.length : found;
}

function readExpression(expression: Expression, text: string, into: TemplateVariables): boolean {
  switch (expression.operator) {
    case '':
      return readList(expression, text, ',', false, into);
    case '+':
      return readList(expression, text, ',', true, into);
    case '#':
      return text === '' || (text.startsWith('#') && readList(expression, text.slice(1), ',', true, into));
    case '.':
    case '/':
      return (
        text === '' ||
        (text.startsWith(expression.operator) &&
          readList(expression, text.slice(1), expression.operator, false, into))
      );
    default:
      return (
        text === '' || (text.startsWith(expression.operator) && readPairs(expression, text.slice(1), into))
      );
  }
}

function readList(
  expression: Expression,
  text: string,
  separator: string,
  reserved: boolean,
  into: TemplateVariables,
): boolean {
  const [only, ...others] = expression.variables;
  if (only === undefined || text === '') return false;
  if (others.length === 0 && !only.explode) return assign(into, only, [text], reserved);
  const values = text.split(separator);
  if (others.length === 0) return assign(into, only, values, reserved);
  if (values.length > expression.variables.length) return false;
  return values.every((value, index) => {
    const variable = expression.variables[index];
    return variable !== undefined && assign(into, variable, [value], reserved);
  });
}

function readPairs(expression: Expression, text: string, into: TemplateVariables): boolean {
  const separator = expression.operator === ';' ? ';' : '&';
  const exploded = expression.variables.find((variable) => variable.explode);
  const collected = new Map<Variable, string[]>();
  for (const pair of text.split(separator)) {
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    const variable = expression.variables.find((candidate) => candidate.name === name) ?? exploded;
    if (variable === undefined) return false;
    const values = collected.get(variable);
    const value = equals === -1 ? '' : pair.slice(equals + 1);
    if (values === undefined) collected.set(variable, [value]);
    else values.push(value);
  }
  for (const [variable, values] of collected) {
    if (!assign(into, variable, values, true)) return false;
  }
  return true;
}

function assign(
  into: TemplateVariables,
  variable: Variable,
  raw: readonly string[],
  reserved: boolean,
): boolean {
  const values: string[] = [];
  for (const text of raw) {
    // Clients often leave sub-delimiters unencoded; only characters that change the structure refuse.
    if (!reserved && /[/?#]/.test(text)) return false;
    const value = decode(text);
    // Dot segments climb out of the directory that a handler maps the variable into.
    if (value === undefined || hasDotSegment(value)) return false;
    values.push(value);
  }
  Object.defineProperty(into, variable.name, {
    value: variable.explode ? values : values.join(','),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return true;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function hasDotSegment(value: string): boolean {
  if (value.includes('\0')) return true;
  return value.split(/[/\\]/).some((segment) => segment === '..' || segment === '.');
}
