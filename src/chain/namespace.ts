/**
 * Names of several servers in one list. A server alone keeps its names; among several each gets a prefix that no
 * client's name pattern forbids, unless its rules say otherwise.
 */

import { canonicalName, decodedReadingsOf, spellingsOf } from '../middleware/canonical.js';
import { createGlob } from '../middleware/subject.js';

export interface NamingRules {
  /** Put before the names of tools and prompts; `NAME__` among several servers, nothing for a server alone. */
  readonly prefix?: string;
  /** New names for tools and prompts, by their old ones. They get no prefix. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Globs of the tools, prompts and resources to show, by their own names; all of them by default. */
  readonly include?: string | readonly string[];
  readonly exclude?: string | readonly string[];
  /** Who wins when two servers show the same name; the higher, and among equals the first. */
  readonly priority?: number;
}

const SEPARATOR = '__';

export class Naming {
  readonly prefix: string;
  readonly #renamed: ReadonlyMap<string, string>;
  readonly #original: ReadonlyMap<string, string>;
  readonly #included: (name: string) => boolean;
  readonly #excluded: (name: string) => boolean;
  /** Whether something may be left out. */
  readonly isSelective: boolean;

  constructor(server: string, rules: NamingRules, isAlone: boolean) {
    this.prefix = rules.prefix ?? (isAlone ? '' : `${legal(server)}${SEPARATOR}`);
    const renamed = Object.entries(rules.rename ?? {});
    this.#renamed = new Map(renamed);
    this.#original = new Map(renamed.map(([old, name]) => [name, old]));
    this.#included = rules.include === undefined ? () => true : globOf(rules.include);
    this.#excluded = rules.exclude === undefined ? () => false : globOf(rules.exclude);
    this.isSelective = rules.include !== undefined || rules.exclude !== undefined;
  }

  /** Whether names pass as they are. */
  get isPlain(): boolean {
    return this.prefix === '' && this.#renamed.size === 0;
  }

  shows(name: string): boolean {
    if (!this.isSelective) return true;
    const canonical = canonicalName(name);
    return this.#included(canonical) && !this.#excluded(canonical);
  }

  /** The same for a URI in its canonical spelling. */
  showsUri(canonical: string): boolean {
    if (!this.isSelective) return true;
    return (
      this.#included(canonical) && !decodedReadingsOf(canonical).some((reading) => this.#excluded(reading))
    );
  }

  /** The name that clients see; undefined for what is not shown. */
  publish(name: string): string | undefined {
    if (!this.shows(name)) return undefined;
    return this.#renamed.get(name) ?? `${this.prefix}${name}`;
  }

  /** The server's own name for what a client asks for; undefined when it cannot be one of this server's. */
  resolve(published: string): string | undefined {
    const found = this.#original.get(published) ?? this.#stripped(published);
    // Where names are judged, another spelling of one must not pass.
    const original = found !== undefined && this.isSelective ? canonicalName(found) : found;
    return original !== undefined && this.shows(original) ? original : undefined;
  }

  #stripped(published: string): string | undefined {
    if (!published.startsWith(this.prefix)) return undefined;
    const name = published.slice(this.prefix.length);
    // A renamed tool has no second name.
    return this.#renamed.has(name) ? undefined : name;
  }
}

function globOf(patterns: string | readonly string[]): (name: string) => boolean {
  return createGlob([patterns].flat().flatMap(spellingsOf));
}

/** Letters, digits, `_` and `-`: what the strictest clients accept in the name of a tool. */
function legal(server: string): string {
  return server.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
