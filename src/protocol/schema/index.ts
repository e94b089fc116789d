export * from './infer.js';
export { type Issue, SchemaError } from './json-schema.js';
export * from './schema.js';
export { type StandardSchema, withJsonSchema } from './standard-schema.js';
