/** Why a value does not fit, said to the person who fills in the form. */

import type { OutputUnit } from '@cfworker/json-schema';
import { isObject } from '../components/json-value.js';
import { resolveReferences } from './references.js';

/** Say only that something below them is wrong, which says so itself. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'properties',
  'items',
  'prefixItems',
  'patternProperties',
  'allOf',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'then',
  'else',
  'if',
  'dependentSchemas',
  'dependencies',
  'contains',
  'false',
]);

const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

const MESSAGES: Readonly<Record<string, (wanted: unknown) => string>> = {
  type: (wanted) => `must be ${[wanted].flat().map(withArticle).join(' or ')}`,
  enum: (wanted) => `must be one of: ${[wanted].flat().map(String).join(', ')}`,
  const: (wanted) => `must be ${JSON.stringify(wanted)}`,
  minLength: (wanted) => `must have at least ${wanted} character${wanted === 1 ? '' : 's'}`,
  maxLength: (wanted) => `must have at most ${wanted} characters`,
  pattern: (wanted) => `must match the pattern ${wanted}`,
  format: (wanted) => `must be a valid ${wanted}`,
  minimum: (wanted) => `must be at least ${wanted}`,
  maximum: (wanted) => `must be at most ${wanted}`,
  exclusiveMinimum: (wanted) => `must be more than ${wanted}`,
  exclusiveMaximum: (wanted) => `must be less than ${wanted}`,
  multipleOf: (wanted) => `must be a multiple of ${wanted}`,
  minItems: (wanted) => `must have at least ${wanted} item${wanted === 1 ? '' : 's'}`,
  maxItems: (wanted) => `must have at most ${wanted} items`,
  uniqueItems: () => 'must not hold the same item twice',
  minProperties: (wanted) => `must have at least ${wanted} properties`,
  maxProperties: (wanted) => `must have at most ${wanted} properties`,
  additionalProperties: () => 'has a property that is not known',
  unevaluatedProperties: () => 'has a property that is not known',
  oneOf: () => 'must fit exactly one of the alternatives',
  anyOf: () => 'must fit one of the alternatives',
  not: () => 'must not be this',
};

function withArticle(type: unknown): string {
  const name = String(type);
  if (name === 'null') return 'empty';
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

export interface Complaint {
  /** Names and positions from the root to the value. */
  readonly path: readonly string[];
  readonly keyword: string;
  readonly message: string;
}

/** The option that is chosen in each union of a form, by the id of its field. */
export type ChosenOptions = Map<string, number>;
/** The option that is chosen for the value at a path; undefined where that is not known. */
export type FormChoice = (path: readonly string[]) => number | undefined;

export function complaintsOf(
  units: readonly OutputUnit[],
  schema: unknown,
  value: unknown,
  choice: FormChoice = () => undefined,
): Complaint[] {
  const seen = new Set<string>();
  const resolved = units.length === 0 ? schema : resolveReferences(schema).schema;
  return ofChosenOptions(units, choice).flatMap((unit) => {
    if (WRAPPERS.has(unit.keyword)) return [];
    const complaint = complain(unit, resolved, value);
    const key = JSON.stringify(complaint);
    if (seen.has(key)) return [];
    seen.add(key);
    return [complaint];
  });
}

/**
 * A value that fits no option of a union is wrong in as many ways as there are options. Its author meant one of them:
 * the chosen one, or the one with the fewest mistakes.
 */
function ofChosenOptions(units: readonly OutputUnit[], choice: FormChoice): OutputUnit[] {
  const unions = units.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf');
  return unions.reduce<OutputUnit[]>(
    (left, union) => {
      const below = `${union.keywordLocation}/`;
      const counts = new Map<number, number>();
      for (const { keywordLocation, keyword } of left) {
        if (!keywordLocation.startsWith(below) || WRAPPERS.has(keyword)) continue;
        const option = Number.parseInt(keywordLocation.slice(below.length), 10);
        counts.set(option, (counts.get(option) ?? 0) + 1);
      }
      // It fits more than one, or nothing is known of what is wrong: the union itself is all there is to say.
      if (counts.size === 0) return left;
      const chosen = choice(steps(union.instanceLocation));
      const [fewest] = [...counts].toSorted((one, other) => one[1] - other[1])[0] ?? [0];
      const meant = chosen !== undefined && counts.has(chosen) ? chosen : fewest;
      const isMeant = ({ keywordLocation }: OutputUnit): boolean =>
        Number.parseInt(keywordLocation.slice(below.length), 10) === meant;
      // A value of none of the kinds: one kind of them is not more wanted than another.
      const ofOtherKind = left.some(
        (unit) =>
          unit.keywordLocation.startsWith(below) &&
          isMeant(unit) &&
          unit.keyword === 'type' &&
          unit.instanceLocation === union.instanceLocation,
      );
      if (ofOtherKind && chosen === undefined) {
        return left.filter((unit) => !unit.keywordLocation.startsWith(below));
      }
      return left.filter(
        (unit) => unit !== union && (!unit.keywordLocation.startsWith(below) || isMeant(unit)),
      );
    },
    [...units],
  );
}

function complain(unit: OutputUnit, schema: unknown, value: unknown): Complaint {
  const path = steps(unit.instanceLocation);
  const { keyword } = unit;
  if (keyword === 'required' || keyword === 'dependentRequired') {
    // The property that is not there is named in the text alone.
    const missing = /(?:property|does not have) "(.*)"\.?$/s.exec(unit.error)?.[1];
    if (missing !== undefined) return { path: [...path, missing], keyword, message: 'is required' };
  }
  // A place that was left empty, in a list that has to have it.
  if (keyword === 'type' && path.length > 0 && valueAt(value, path) === null) {
    return { path, keyword, message: 'is required' };
  }
  const wanted = valueAt(schema, steps(unit.keywordLocation), schema);
  const message = wanted === undefined ? undefined : MESSAGES[keyword]?.(wanted);
  return { path, keyword, message: message ?? unit.error };
}

function steps(location: string): string[] {
  return location
    .replace(/^#\/?/, '')
    .split('/')
    .filter((step) => step !== '')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Follows references on the way, where the root that they are relative to is given. */
function valueAt(value: unknown, path: readonly string[], root?: unknown): unknown {
  let current = value;
  for (const step of path) {
    if (root !== undefined && isObject(current) && REFERENCES.has(step) && typeof current.$ref === 'string') {
      current = current.$ref === '#' ? root : valueAt(root, steps(current.$ref));
    } else if (Array.isArray(current)) current = current[Number(step)];
    else if (isObject(current) && step in current) current = current[step];
    else return undefined;
  }
  return current;
}
