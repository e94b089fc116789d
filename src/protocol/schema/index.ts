export { SchemaError } from './dialect.js';
export * from './infer.js';
export * from './schema.js';
