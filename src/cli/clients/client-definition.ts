/** What Plumb knows about a client: where it keeps its servers, and how it writes one. */

import type { JsonObject } from '../../jsonrpc/message.js';
import type { Container } from './editors/editor.js';
import type { ClientPlaces } from './places.js';
import type { ServerEntry } from './server-entry.js';

export type Scope = 'global' | 'project';

export interface ClientDefinition {
  readonly id: string;
  readonly name: string;
  readonly format: 'json' | 'yaml' | 'toml';
  /** The page that documents the file and its fields. */
  readonly documentation: string;
  /** Files from the most wanted to the least: the first that exists is used, or the first of all is created. */
  files(scope: Scope, places: ClientPlaces): readonly string[];
  /** Where the entries are in this document. */
  container(document: unknown): Container;
  /** What a new file begins with. */
  readonly initialText?: string;
  /** The file has settings of all kinds; without entries it is nothing to report. */
  readonly mixed?: boolean;
  /** Fields that the client reads in an entry. */
  readonly fields: readonly string[];
  readonly transports: readonly ServerEntry['kind'][];
  /** Where the client replaces references to environment variables; a value in other places is written out. */
  readonly references: 'everywhere' | 'env' | 'nowhere';
  /** Entries that legitimately say neither how to start a server nor where it is. */
  isPartial?(entry: JsonObject): boolean;
  write(entry: ServerEntry, name: string): JsonObject;
  /** Fields of other clients are understood too, so that a misplaced entry can be rewritten. */
  read(entry: JsonObject): ServerEntry | undefined;
}
