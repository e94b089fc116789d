/** RFC 6570 URI templates, forwards: from the values to the address. Values are single texts. */

interface Operator {
  readonly first: string;
  readonly separator: string;
  /** Whether `name=` stands before the value. */
  readonly named: boolean;
  /** Whether reserved characters stay as they are. */
  readonly reserved: boolean;
}

const PLAIN: Operator = { first: '', separator: ',', named: false, reserved: false };
const OPERATORS: Readonly<Record<string, Operator>> = {
  '+': { ...PLAIN, reserved: true },
  '#': { ...PLAIN, first: '#', reserved: true },
  '.': { ...PLAIN, first: '.', separator: '.' },
  '/': { ...PLAIN, first: '/', separator: '/' },
  ';': { ...PLAIN, first: ';', separator: ';', named: true },
  '?': { ...PLAIN, first: '?', separator: '&', named: true },
  '&': { ...PLAIN, first: '&', separator: '&', named: true },
};

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;

export function templateNames(template: string): string[] {
  const names = [...template.matchAll(EXPRESSION)].flatMap(([, , list = '']) =>
    list.split(',').map(bareName),
  );
  return [...new Set(names.filter((name) => name !== ''))];
}

function bareName(variable: string): string {
  return variable.trim().replace(/\*$|:\d+$/, '');
}

export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(EXPRESSION, (_, sign: string, list: string) => {
    const operator = OPERATORS[sign] ?? PLAIN;
    const parts = list.split(',').flatMap((variable) => {
      const name = bareName(variable);
      const value = values[name];
      // A variable without a value leaves nothing behind, not even its separator.
      if (value === undefined || value === '') return [];
      const length = /:(\d+)$/.exec(variable.trim())?.[1];
      const cut = length === undefined ? value : [...value].slice(0, Number(length)).join('');
      const text = operator.reserved ? encodeReserved(cut) : encodePlain(cut);
      return [operator.named ? `${name}=${text}` : text];
    });
    return parts.length === 0 ? '' : operator.first + parts.join(operator.separator);
  });
}

function encodePlain(value: string): string {
  return encodeURIComponent(value).replace(/[!'()*]/g, percent);
}

/** What is escaped already stays so. */
function encodeReserved(value: string): string {
  return value
    .split(/(%[0-9A-Fa-f]{2})/)
    .map((part, index) =>
      index % 2 === 1 ? part : encodeURI(part).replace(/%5B/g, '[').replace(/%5D/g, ']'),
    )
    .join('');
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
