/**
 * Names of several servers in one list. A server alone keeps its names; among several each gets a prefix, unless its
 * rules say otherwise, and every name is one that all model APIs take (`client/pool/qualified-name.ts`).
 */

import { isChangedName, legal, qualifiedName, serverPrefix } from '../client/pool/qualified-name.js';
import { canonicalTemplate, canonicalUri, decodedReadingsOf, spellingsOf } from '../middleware/canonical.js';
import { canonicalName } from '../middleware/canonical-name.js';
import { createGlob } from '../middleware/subject.js';

export interface NamingRules {
  /** Put before the names of tools and prompts; `NAME__` among several servers, nothing for a server alone. */
  readonly prefix?: string | undefined;
  /** New names for tools and prompts, by their old ones. They get no prefix. */
  readonly rename?: Readonly<Record<string, string>> | undefined;
  /** Globs of the tools, prompts and resources to show, by their own names; all of them by default. */
  readonly include?: string | readonly string[] | undefined;
  readonly exclude?: string | readonly string[] | undefined;
  /** Who wins when two servers show the same name; the higher, and among equals the first. */
  readonly priority?: number | undefined;
}

export class Naming {
  readonly prefix: string;
  /** Whether something may be left out. */
  readonly isSelective: boolean;
  /** Whether its server is the only one. */
  readonly isAlone: boolean;
  readonly #renamed: ReadonlyMap<string, string>;
  readonly #original: ReadonlyMap<string, string>;
  readonly #included: (name: string) => boolean;
  readonly #excluded: (name: string) => boolean;

  constructor(server: string, rules: NamingRules, isAlone: boolean) {
    this.isAlone = isAlone;
    const given = isAlone ? rules.prefix : rules.prefix && legal(rules.prefix);
    this.prefix = given ?? (isAlone ? '' : serverPrefix(server));
    const renamed = Object.entries(rules.rename ?? {}).map(([old, name]): [string, string] => [
      old,
      isAlone ? name : qualifiedName('', name),
    ]);
    this.#renamed = new Map(renamed);
    this.#original = new Map(renamed.map(([old, name]) => [name, old]));
    this.#included = rules.include === undefined ? () => true : globOf(rules.include);
    this.#excluded = rules.exclude === undefined ? () => false : globOf(rules.exclude);
    this.isSelective = rules.include !== undefined || rules.exclude !== undefined;
  }

  shows(name: string): boolean {
    if (!this.isSelective) return true;
    const canonical = canonicalName(name);
    return this.#included(canonical) && !this.#excluded(canonical);
  }

  /** The same for a URI or a template. What could not be a URI is judged as it is. */
  showsAddress(uri: string): boolean {
    if (!this.isSelective) return true;
    const canonical = uri.includes('{') ? canonicalTemplate(uri) : (canonicalUri(uri) ?? uri);
    return (
      this.#included(canonical) && !decodedReadingsOf(canonical).some((reading) => this.#excluded(reading))
    );
  }

  /** The name that clients see; undefined for what is not shown. */
  publish(name: string): string | undefined {
    return this.shows(name) ? this.#named(name) : undefined;
  }

  /** The server's own name for what a client asks for; undefined when the name does not determine it. */
  resolve(published: string): string | undefined {
    const found = this.#original.get(published) ?? this.#stripped(published);
    // Where names are judged, another spelling of one must not pass.
    const original = found !== undefined && this.isSelective ? canonicalName(found) : found;
    return original !== undefined && this.shows(original) ? original : undefined;
  }

  /**
   * Whether this can be a name of this server that had to be changed: then its list has the original name.
   */
  mayHaveChanged(published: string): boolean {
    return !this.isAlone && !this.#original.has(published) && isChangedName(this.prefix, published);
  }

  #named(name: string): string {
    const renamed = this.#renamed.get(name);
    if (renamed !== undefined) return renamed;
    return this.isAlone ? `${this.prefix}${name}` : qualifiedName(this.prefix, name);
  }

  #stripped(published: string): string | undefined {
    if (!published.startsWith(this.prefix)) return undefined;
    const name = published.slice(this.prefix.length);
    // A renamed tool has no second name, and neither has one whose name had to be changed.
    return this.#renamed.has(name) || this.#named(name) !== published ? undefined : name;
  }
}

function globOf(patterns: string | readonly string[]): (name: string) => boolean {
  return createGlob([patterns].flat().flatMap(spellingsOf));
}
