/**
 * Names of several servers in one list. A server alone keeps its names; among several each gets a prefix that no
 * client's name pattern forbids, unless its rules say otherwise.
 */

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

  constructor(server: string, rules: NamingRules, isAlone: boolean) {
    this.prefix = rules.prefix ?? (isAlone ? '' : `${legal(server)}${SEPARATOR}`);
    const renamed = Object.entries(rules.rename ?? {});
    this.#renamed = new Map(renamed);
    this.#original = new Map(renamed.map(([old, name]) => [name, old]));
    this.#included = rules.include === undefined ? () => true : createGlob(rules.include);
    this.#excluded = rules.exclude === undefined ? () => false : createGlob(rules.exclude);
  }

  /** Whether names pass as they are. */
  get isPlain(): boolean {
    return this.prefix === '' && this.#renamed.size === 0;
  }

  shows(name: string): boolean {
    return this.#included(name) && !this.#excluded(name);
  }

  /** The name that clients see; undefined for what is not shown. */
  publish(name: string): string | undefined {
    if (!this.shows(name)) return undefined;
    return this.#renamed.get(name) ?? `${this.prefix}${name}`;
  }

  /** The server's own name for what a client asks for; undefined when it cannot be one of this server's. */
  resolve(published: string): string | undefined {
    const original = this.#original.get(published) ?? this.#stripped(published);
    return original !== undefined && this.shows(original) ? original : undefined;
  }

  #stripped(published: string): string | undefined {
    if (!published.startsWith(this.prefix)) return undefined;
    const name = published.slice(this.prefix.length);
    // A renamed tool has no second name.
    return this.#renamed.has(name) ? undefined : name;
  }
}

/** Letters, digits, `_` and `-`: what the strictest clients accept in the name of a tool. */
function legal(server: string): string {
  return server.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
