/** The MCP vocabulary: types of every message, the revisions, and the errors. */
export * from './errors.js';
export * from './model/index.js';
export {
  findRevision,
  HANDSHAKE_REVISIONS,
  type HttpRules,
  REVISIONS,
  type Revision,
  selectRevisions,
} from './revisions/index.js';
export * from './schema/index.js';
