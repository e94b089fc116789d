/** The servers behind a chain: which one a name or a URI belongs to. */

import { canonicalTemplate, canonicalUri, Spellings } from '../middleware/canonical.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import type { Instance } from './instance.js';
import { Listed, type ListedEntry } from './listed.js';
import type { ListField } from './mend.js';
import { Naming } from './namespace.js';
import type { Health, Upstream } from './upstream.js';

export interface Member {
  readonly upstream: Upstream;
  readonly naming: Naming;
  readonly listed: Listed;
}

export interface UpstreamOwner extends Member {
  /** The name by which its own server knows it. */
  readonly name: string;
}

export type NamedKind = 'tools' | 'prompts';

export class Upstreams {
  /** Those with the highest priority first. */
  #members: readonly Member[] = [];
  /** Whose a listed name is, found once. */
  readonly #owners = { tools: new Map<string, UpstreamOwner>(), prompts: new Map<string, UpstreamOwner>() };

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
      .map((upstream) => ({
        upstream,
        naming: new Naming(upstream.name, upstream.options, isAlone),
        listed: new Listed(),
      }))
      .sort((one, other) => (other.upstream.options.priority ?? 0) - (one.upstream.options.priority ?? 0));
    this.#owners.tools.clear();
    this.#owners.prompts.clear();
  }

  with(capability: keyof ServerCapabilities): Member[] {
    return this.#members.filter(({ upstream }) => upstream.capabilities[capability] !== undefined);
  }

  health(): Health[] {
    return this.#members.map(({ upstream }) => upstream.health);
  }

  /**
   * Whose tool or prompt this is, or the servers whose lists have to be fetched to decide it. `anyway`: by
   * what is known, because those lists were asked for.
   */
  named(kind: NamedKind, published: string, anyway = false): UpstreamOwner | readonly Member[] | undefined {
    const known = this.#owners[kind].get(published);
    if (known !== undefined) return known;
    const { only } = this;
    if (only !== undefined) return ownerIn(only, kind, published);
    const candidates = this.with(kind).filter(
      ({ naming }) => naming.resolve(published) !== undefined || naming.mayHaveChanged(published),
    );
    const [first] = candidates;
    if (first !== undefined && candidates.length === 1 && !first.naming.mayHaveChanged(published))
      return ownerIn(first, kind, published);
    const unlisted = candidates.filter(({ listed }) => !listed.isComplete(kind));
    if (unlisted.length > 0 && !anyway) return unlisted;
    for (const member of candidates) {
      const name = member.listed.own(kind, published);
      if (name === undefined) continue;
      const owner = { ...member, name };
      this.#owners[kind].set(published, owner);
      return owner;
    }
    // A server that did not list may have it; and lists may differ from client to client.
    const [likely] = candidates.length === 1 ? candidates : unlisted;
    return likely === undefined ? undefined : ownerIn(likely, kind, published);
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

  /** Whose connection this is. */
  memberOf(instance: Instance): Member | undefined {
    return this.#members.find(({ upstream }) => upstream.has(instance));
  }

  get #isSelective(): boolean {
    return this.#members.some(({ naming }) => naming.isSelective);
  }

  /** Whose resource this is by its address, best first; several where only a request to them decides. */
  resource(uri: string): readonly Member[] {
    const members = this.with('resources').filter(({ naming }) => naming.showsAddress(uri));
    if (members.length < 2) return members;
    const owner =
      members.find(({ listed }) => listed.own('resources', uri) !== undefined) ??
      members.find(({ listed }) => listed.own('resourceTemplates', uri) !== undefined) ??
      members.find(({ listed }) => listed.matches(uri));
    return owner === undefined ? members : [owner];
  }

  /** The servers whose lists of this kind were not fetched yet, where there are several to choose from. */
  unlisted(field: 'resources' | 'resourceTemplates'): readonly Member[] {
    const members = this.with('resources');
    return members.length < 2 ? [] : members.filter(({ listed }) => !listed.isComplete(field));
  }

  /** The server has listed these. */
  saw({ listed, naming }: Member, field: ListField, entries: readonly ListedEntry[]): void {
    listed.add(field, entries);
    if (naming.isSelective) this.#keepSpellings(field, entries);
    if (field === 'tools' || field === 'prompts') this.#owners[field].clear();
  }

  #keepSpellings(field: ListField, entries: readonly ListedEntry[]): void {
    for (const { own } of entries) {
      if (field === 'resources') this.#spellings.listed(canonicalUri(own) ?? own, own);
      else if (field === 'resourceTemplates') this.#spellings.listed(canonicalTemplate(own), own);
    }
  }

  forget(kind: NamedKind | 'resources'): void {
    const fields: readonly ListField[] = kind === 'resources' ? ['resources', 'resourceTemplates'] : [kind];
    for (const { listed } of this.#members) for (const field of fields) listed.forget(field);
    if (kind !== 'resources') this.#owners[kind].clear();
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ upstream }) => upstream.close()));
  }
}

function ownerIn(member: Member, kind: NamedKind, published: string): UpstreamOwner | undefined {
  const isServed = member.upstream.capabilities[kind] !== undefined;
  const name = isServed ? member.naming.resolve(published) : undefined;
  return name === undefined ? undefined : { ...member, name };
}
