/** Which JSON Schemas can be validated by, and what validation reports. */

import type { JsonSchema } from '../model/base.js';

export interface Issue {
  /** Where in the value: `city`, `items.3.name`; empty for the value as a whole. */
  readonly path: string;
  readonly message: string;
}

/** Returns the issues found, or undefined when the value is valid. */
export type JsonValidator = (value: unknown) => readonly Issue[] | undefined;

export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

const DIALECTS: ReadonlyMap<string, Draft> = new Map([
  ['https://json-schema.org/draft/2020-12/schema', '2020'],
  ['https://json-schema.org/draft/2019-09/schema', '2019'],
  ['http://json-schema.org/draft-07/schema', '7'],
]);

export type Draft = '2020' | '2019' | '7';

/** The dialect that the schema declares; throws when it is not one that we can validate by. */
export function dialectOf(schema: JsonSchema): Draft {
  const declared = schema.$schema;
  const draft = typeof declared === 'string' ? DIALECTS.get(declared.replace(/#$/, '')) : '2020';
  if (draft !== undefined) return draft;
  const known = [...DIALECTS.keys()].join(', ');
  throw new SchemaError(`JSON Schema dialect "${declared}" is not supported; use one of: ${known}`);
}
