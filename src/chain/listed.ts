/** What a server has listed so far: by that its names and URIs are found again. */

import { matchUri } from '../server/uri-match.js';
import { parseUriTemplate, type UriTemplate } from '../server/uri-template.js';
import type { ListField } from './mend.js';

/** A server that lists ever new things without saying that anything changed must not fill the memory. */
const MAX_REMEMBERED = 10_000;

/** As clients see it, and as the server knows it. */
export interface ListedEntry {
  readonly key: string;
  readonly own: string;
}

export class Listed {
  readonly #own: Readonly<Record<ListField, Map<string, string>>> = {
    tools: new Map(),
    prompts: new Map(),
    resources: new Map(),
    resourceTemplates: new Map(),
  };
  readonly #templates = new Map<string, UriTemplate | undefined>();
  /** Lists that were seen to their end. */
  readonly #complete = new Set<ListField>();

  /** Lists may differ from client to client, so what one of them saw is added to what others did. */
  add(field: ListField, entries: readonly ListedEntry[]): void {
    const own = this.#own[field];
    if (own.size > MAX_REMEMBERED) own.clear();
    for (const entry of entries) own.set(entry.key, entry.own);
    this.#complete.add(field);
  }

  isComplete(field: ListField): boolean {
    return this.#complete.has(field);
  }

  /** The server's own name for it. */
  own(field: ListField, key: string): string | undefined {
    return this.#own[field].get(key);
  }

  /** Whether one of its templates stands for this URI. */
  matches(uri: string): boolean {
    for (const template of this.#own.resourceTemplates.keys()) {
      const parsed = this.#template(template);
      if (parsed !== undefined && matchUri(parsed, uri) !== undefined) return true;
    }
    return false;
  }

  forget(field: ListField): void {
    this.#own[field].clear();
    this.#complete.delete(field);
    if (field === 'resourceTemplates') this.#templates.clear();
  }

  #template(template: string): UriTemplate | undefined {
    if (!this.#templates.has(template)) this.#templates.set(template, readable(template));
    return this.#templates.get(template);
  }
}

/** A server's template may be one that we cannot read; then it matches nothing here. */
function readable(template: string): UriTemplate | undefined {
  try {
    return parseUriTemplate(template);
  } catch {
    return undefined;
  }
}
