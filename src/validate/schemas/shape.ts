/** Small validators that name the place and the fault. Unknown fields are always allowed. */

import { isRecord } from '../../jsonrpc/message.js';

/** Adds a line for each fault that it finds. */
export type ShapeCheck = (value: unknown, path: string, issues: string[]) => void;

export type Fields = Readonly<Record<string, ShapeCheck>>;

export const anything: ShapeCheck = () => {};

export const string: ShapeCheck = expects('a string', (value) => typeof value === 'string');
export const boolean: ShapeCheck = expects('a boolean', (value) => typeof value === 'boolean');
export const number: ShapeCheck = expects('a number', (value) => typeof value === 'number');
export const integer: ShapeCheck = expects('an integer', (value) => Number.isInteger(value));
export const record: ShapeCheck = expects('an object', isRecord);
export const id: ShapeCheck = expects(
  'a string or an integer',
  (value) => typeof value === 'string' || Number.isInteger(value),
);
export const base64: ShapeCheck = expects('base64', (value) => typeof value === 'string' && isBase64(value));
/** Templates and tools pass on what they were given: whether it is a URI is judged where servers list their own. */
export const uri: ShapeCheck = (value, path, issues) => string(value, path, issues);

export function expects(what: string, fits: (value: unknown) => boolean): ShapeCheck {
  return (value, path, issues) => {
    if (!fits(value)) issues.push(`${path || 'the value'} must be ${what}, not ${show(value)}`);
  };
}

export function oneOf(...values: readonly (string | number | boolean)[]): ShapeCheck {
  const known: ReadonlySet<unknown> = new Set(values);
  return expects(`one of ${values.map((value) => JSON.stringify(value)).join(', ')}`, (value) =>
    known.has(value),
  );
}

export function within(minimum: number, maximum: number): ShapeCheck {
  return expects(
    `a number from ${minimum} to ${maximum}`,
    (value) => typeof value === 'number' && value >= minimum && value <= maximum,
  );
}

export function array(item: ShapeCheck, maximum: number = Number.POSITIVE_INFINITY): ShapeCheck {
  return (value, path, issues) => {
    if (!Array.isArray(value)) {
      issues.push(`${path || 'the value'} must be an array, not ${show(value)}`);
      return;
    }
    if (value.length > maximum)
      issues.push(`${path} must have at most ${maximum} items, not ${value.length}`);
    value.forEach((member, index) => {
      item(member, `${path}[${index}]`, issues);
    });
  };
}

export function object(required: Fields, optional: Fields = {}): ShapeCheck {
  return (value, path, issues) => {
    if (!isRecord(value)) {
      issues.push(`${path || 'the value'} must be an object, not ${show(value)}`);
      return;
    }
    for (const [name, shape] of Object.entries(required)) {
      if (value[name] === undefined) issues.push(`${join(path, name)} is missing`);
      else shape(value[name], join(path, name), issues);
    }
    for (const [name, shape] of Object.entries(optional)) {
      if (value[name] !== undefined) shape(value[name], join(path, name), issues);
    }
  };
}

export function map(item: ShapeCheck): ShapeCheck {
  return (value, path, issues) => {
    record(value, path, issues);
    if (!isRecord(value)) return;
    for (const [name, member] of Object.entries(value)) item(member, join(path, name), issues);
  };
}

/** Variants distinguished by the value of one field. */
export function tagged(field: string, variants: Readonly<Record<string, ShapeCheck>>): ShapeCheck {
  return (value, path, issues) => {
    const tag = isRecord(value) ? value[field] : undefined;
    const variant = typeof tag === 'string' && Object.hasOwn(variants, tag) ? variants[tag] : undefined;
    if (variant !== undefined) variant(value, path, issues);
    else
      issues.push(
        `${join(path, field)} must be one of ${Object.keys(variants).join(', ')}, not ${show(tag)}`,
      );
  };
}

/** Fits when any of them does; otherwise the faults of the last one are reported. */
export function either(...shapes: readonly ShapeCheck[]): ShapeCheck {
  return (value, path, issues) => {
    let faults: string[] = [];
    for (const shape of shapes) {
      faults = [];
      shape(value, path, faults);
      if (faults.length === 0) return;
    }
    issues.push(...faults);
  };
}

export function both(...shapes: readonly ShapeCheck[]): ShapeCheck {
  return (value, path, issues) => {
    for (const shape of shapes) shape(value, path, issues);
  };
}

export function issuesOf(shape: ShapeCheck, value: unknown): readonly string[] {
  const issues: string[] = [];
  shape(value, '', issues);
  return issues;
}

export function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function show(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
