import type { Ajv, ErrorObject, Options } from 'ajv';
import { _ } from 'ajv/dist/compile/codegen/index.js';
import { isRecord } from '../../jsonrpc/message.js';
import type { JsonSchema } from '../model/base.js';
import type { Issue, JsonValidator } from './dialect.js';
import { compilePattern } from './patterns.js';

/** In the place of RegExp, for `pattern` and `patternProperties`. ajv asks for `code` where it writes modules. */
const linearEngine = Object.assign((pattern: string) => compilePattern(pattern), { code: 'compilePattern' });

const OPTIONS: Options = {
  strict: false,
  // What 1e999 becomes is no number that could be sent on.
  strictNumbers: true,
  logger: false,
  // Formats are annotations unless a vocabulary says otherwise (JSON Schema 2020-12, format).
  validateFormats: false,
  addUsedSchema: false,
  // `toString` is not there because every object inherits one.
  ownProperties: true,
  code: { regExp: linearEngine },
};

/** Each draft is an import of its own: hardly anybody needs more than one, and each takes its time. */
const DRAFTS: Readonly<Record<'2020' | '2019' | '7', () => Promise<new (options: Options) => Ajv>>> = {
  '2020': async () => (await import('ajv/dist/2020.js')).Ajv2020,
  '2019': async () => (await import('ajv/dist/2019.js')).Ajv2019,
  '7': async () => (await import('ajv')).Ajv,
};

export async function createAjv(
  draft: keyof typeof DRAFTS,
  /** Where every issue is wanted instead of the first; a hostile value can have a great many. */
  { allErrors = false }: { readonly allErrors?: boolean } = {},
): Promise<(schema: JsonSchema) => JsonValidator> {
  const Validator = await DRAFTS[draft]();
  const meta = new Validator(OPTIONS);
  const create = (): Ajv =>
    withLinearKeywords(new Validator({ ...OPTIONS, allErrors, validateSchema: false }));
  return (schema) => {
    meta.validateSchema(schema, true);
    // Schemas come from strangers. Compiled in an instance of its own, the `$id`s of one cannot be referenced by
    // another, and cannot take the place of a meta-schema.
    const validate = create().compile(schema);
    // ajv's own extension: such a validator returns a promise, which looks like success and rejects behind our back.
    if ('$async' in validate) throw new Error('"$async" is not a keyword of JSON Schema');
    return (value) => (validate(value) ? undefined : (validate.errors ?? []).map(describe));
  };
}

/** ajv compares every item with every other, and with each value of an enum: the square of what a peer sends. */
function withLinearKeywords(ajv: Ajv): Ajv {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isUnique: boolean, items: readonly unknown[]) =>
      !isUnique || new Set(items.map(canonicalText)).size === items.length,
    error: { message: 'must NOT have duplicate items' },
  });
  ajv.removeKeyword('enum');
  ajv.addKeyword({
    keyword: 'enum',
    schemaType: 'array',
    compile: (values: readonly unknown[]) => {
      const texts = new Set(values.map(canonicalText));
      return (value: unknown) => texts.has(canonicalText(value));
    },
    error: {
      message: 'must be equal to one of the allowed values',
      params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
    },
  });
  return ajv;
}

/** The same text for values that JSON Schema calls equal. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (isRecord(inner)) return Object.fromEntries(Object.entries(inner).sort(byKey));
    // What 1e999 becomes must not be taken for null.
    return typeof inner === 'number' && !Number.isFinite(inner) ? `\0${inner}` : inner;
  });
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

function describe(error: ErrorObject): Issue {
  const base = error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  const name = namedProperty(error);
  const path = name === undefined ? base : base === '' ? name : `${base}.${name}`;
  return { path, message: messageOf(error) };
}

/** Some keywords speak of a property that is missing or too much: that property is the place. */
function namedProperty(error: ErrorObject): string | undefined {
  const params: Record<string, unknown> = error.params;
  const name = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  return typeof name === 'string' ? name : undefined;
}

function messageOf(error: ErrorObject): string {
  const params: Record<string, unknown> = error.params;
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a known property';
    case 'enum':
      return `must be one of ${JSON.stringify(params.allowedValues)}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    default:
      return error.message ?? 'is not valid';
  }
}
