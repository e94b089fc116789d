/** The servers behind a chain: which one a name or a URI belongs to. */

import { canonicalTemplate, canonicalUri, Spellings } from '../middleware/canonical.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import { parseUriTemplate } from '../server/uri-template.js';
import { Naming } from './namespace.js';
import type { Health, Upstream } from './upstream.js';

export interface Member {
  readonly upstream: Upstream;
  readonly naming: Naming;
}

export interface Owner extends Member {
  /** The name by which its own server knows it. */
  readonly name: string;
}

export type NamedKind = 'tools' | 'prompts';

export class Upstreams {
  #members: readonly Member[] = [];
  /** Names and URIs seen in lists, with the server that won them. */
  readonly #seen = { tools: new Map<string, Owner>(), prompts: new Map<string, Owner>() };
  readonly #resources = new Map<string, Member>();
  readonly #templates = new Map<string, Member>();
  readonly #spellings = new Spellings();

  constructor(upstreams: readonly Upstream[]) {
    this.replace(upstreams);
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  /** The only server, where its lists need no work. */
  get only(): Member | undefined {
    const [first] = this.#members;
    return this.#members.length === 1 ? first : undefined;
  }

  replace(upstreams: readonly Upstream[]): void {
    const isAlone = upstreams.length === 1;
    this.#members = upstreams
      .map((upstream) => ({ upstream, naming: new Naming(upstream.name, upstream.options, isAlone) }))
      .sort((one, other) => (other.upstream.options.priority ?? 0) - (one.upstream.options.priority ?? 0));
    this.forget('tools');
    this.forget('prompts');
    this.#resources.clear();
    this.#templates.clear();
  }

  with(capability: keyof ServerCapabilities): Member[] {
    return this.#members.filter(({ upstream }) => upstream.capabilities[capability] !== undefined);
  }

  health(): Health[] {
    return this.#members.map(({ upstream }) => upstream.health);
  }

  /** Whose tool or prompt this is: the one that listed it, else every one that could have it, best first. */
  named(kind: NamedKind, published: string): Owner[] {
    const seen = this.#seen[kind].get(published);
    if (seen !== undefined) return [seen];
    const { only } = this;
    if (only !== undefined) return ownerIn(only, kind, published);
    return this.with(kind)
      .map(({ upstream, naming }) => ({ upstream, naming, name: naming.resolve(published) }))
      .filter((candidate): candidate is Owner => candidate.name !== undefined)
      .sort((one, other) => other.naming.prefix.length - one.naming.prefix.length);
  }

  /**
   * The URI as it goes to servers: as it was given, or in its canonical spelling where `include` or `exclude` judge it.
   * Undefined for one that could be read in several ways past them.
   */
  addressed(uri: string, isTemplate = false): string | undefined {
    if (!this.#isSelective) return uri;
    const canonical = isTemplate ? canonicalTemplate(uri) : canonicalUri(uri);
    return canonical === undefined ? undefined : this.#spellings.of(canonical);
  }

  /** Whose resource this is, by its address; several where only asking them tells. */
  resource(uri: string): Member[] {
    const listed = this.#resources.get(uri) ?? this.#templates.get(uri) ?? this.#matching(uri);
    const members = listed === undefined ? this.with('resources') : [listed];
    return members.filter(({ naming }) => showsAddress(naming, uri));
  }

  /** Whether the server behind this connection shows the resource to clients. */
  shows(uri: string, isOf: (upstream: Upstream) => boolean): boolean {
    const member = this.#members.find(({ upstream }) => isOf(upstream));
    return member === undefined || showsAddress(member.naming, uri);
  }

  get #isSelective(): boolean {
    return this.#members.some(({ naming }) => naming.isSelective);
  }

  sawNamed(kind: NamedKind, published: string, owner: Owner): void {
    this.#seen[kind].set(published, owner);
  }

  /** False where the server's rules leave it out. */
  sawResource(uri: string, member: Member): boolean {
    if (!showsAddress(member.naming, uri)) return false;
    if (member.naming.isSelective) this.#spellings.listed(canonicalUri(uri) ?? uri, uri);
    this.#resources.set(uri, member);
    return true;
  }

  sawTemplate(template: string, member: Member): boolean {
    if (!showsAddress(member.naming, template)) return false;
    if (member.naming.isSelective) this.#spellings.listed(canonicalTemplate(template), template);
    this.#templates.set(template, member);
    return true;
  }

  forget(kind: NamedKind | 'resources'): void {
    if (kind === 'resources') {
      this.#resources.clear();
      this.#templates.clear();
    } else this.#seen[kind].clear();
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ upstream }) => upstream.close()));
  }

  #matching(uri: string): Member | undefined {
    for (const [template, member] of this.#templates) {
      if (matchesTemplate(template, uri)) return member;
    }
    return undefined;
  }
}

function ownerIn({ upstream, naming }: Member, kind: NamedKind, published: string): Owner[] {
  const name = upstream.capabilities[kind] === undefined ? undefined : naming.resolve(published);
  return name === undefined ? [] : [{ upstream, naming, name }];
}

/** Templates too: what could not be a URI is judged as it is. */
function showsAddress(naming: Naming, uri: string): boolean {
  if (!naming.isSelective) return true;
  return naming.showsUri(uri.includes('{') ? canonicalTemplate(uri) : (canonicalUri(uri) ?? uri));
}

/** A server's template may be one that we cannot read; then it matches nothing here. */
function matchesTemplate(template: string, uri: string): boolean {
  try {
    return parseUriTemplate(template).match(uri) !== undefined;
  } catch {
    return false;
  }
}
