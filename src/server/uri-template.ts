/** RFC 6570 URI templates, and what they consist of. */

export interface TemplateVariable {
  readonly name: string;
  readonly explode: boolean;
}

export interface TemplateExpression {
  readonly operator: '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';
  readonly variables: readonly TemplateVariable[];
}

export type TemplatePart = string | TemplateExpression;

export type TemplateVariables = { [name: string]: string | string[] };

export interface UriTemplate {
  readonly names: readonly string[];
  readonly parts: readonly TemplatePart[];
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
  return { names, parts };
}

function parseParts(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
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

function parseExpression(template: string, body: string): TemplateExpression {
  const first = body.charAt(0);
  const operator = first !== '' && OPERATORS.includes(first) ? (first as TemplateExpression['operator']) : '';
  const variables = body
    .slice(operator.length)
    .split(',')
    .map((spec): TemplateVariable => {
      const explode = spec.endsWith('*');
      const name = (explode ? spec.slice(0, -1) : spec).replace(/:\d{1,4}$/, '');
      if (!NAME.test(name))
        throw new TypeError(`URI template "${template}" has a bad variable name "${spec}"`);
      return { name, explode };
    });
  return { operator, variables };
}
