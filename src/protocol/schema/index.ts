export * from './infer.js';
export { SchemaError } from './json-schema.js';
export * from './schema.js';
