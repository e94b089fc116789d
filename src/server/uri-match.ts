/**
 * URI templates read backwards: from a URI to the variables. Matching never backtracks (each expression ends where the
 * next literal first begins), so its time is linear in the URI whatever the template; a regular expression here was an
 * attack on other servers.
 */

import type {
  TemplateExpression,
  TemplatePart,
  TemplateVariable,
  TemplateVariables,
  UriTemplate,
} from './uri-template.js';

/** The variables, decoded, or undefined when the URI is not of this template. */
export function matchUri({ parts }: UriTemplate, uri: string): TemplateVariables | undefined {
  const variables = matchParts(parts, uri);
  if (variables === undefined) return undefined;
  for (const part of parts) {
    if (typeof part === 'string') continue;
    // A list is always there.
    for (const { name, explode } of part.variables)
      if (explode && !Object.hasOwn(variables, name)) define(variables, name, []);
  }
  return variables;
}

function matchParts(parts: readonly TemplatePart[], uri: string): TemplateVariables | undefined {
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
  parts: readonly TemplatePart[],
  index: number,
  own: TemplateExpression,
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

function readExpression(expression: TemplateExpression, text: string, into: TemplateVariables): boolean {
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
  expression: TemplateExpression,
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

function readPairs(expression: TemplateExpression, text: string, into: TemplateVariables): boolean {
  const separator = expression.operator === ';' ? ';' : '&';
  const exploded = expression.variables.find((variable) => variable.explode);
  const collected = new Map<TemplateVariable, string[]>();
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
  variable: TemplateVariable,
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
  define(into, variable.name, variable.explode ? values : values.join(','));
  return true;
}

/** Names are chosen by authors: `__proto__` is one like any other. */
function define(into: TemplateVariables, name: string, value: string | string[]): void {
  Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
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
