/** Resources at fixed URIs, and templates that stand for many. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { CallState } from '../middleware/compose.js';
import { resourceNotFound } from '../protocol/errors.js';
import { lazily } from '../protocol/lazily.js';
import type { Annotations, CacheHints, Icon } from '../protocol/model/base.js';
import type { Meta } from '../protocol/model/meta.js';
import type {
  BlobResourceContents,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  TextResourceContents,
} from '../protocol/model/resources.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { AnyKeptValues, KeptValues } from './buckets/bucket.js';
import type { Completers } from './completion.js';
import type { CallContext, Context } from './context.js';
import { cacheHints, type ResultCacheOptions } from './options.js';
import { assertCompleted, assertHandler } from './registration.js';
import { starting } from './repeat-warning.js';
import { parseUriTemplate, type TemplateVariables, type UriTemplate } from './uri-template.js';

/** What clients see of a resource or a template. */
export interface ResourceDefinition {
  /** Defaults to the URI. */
  readonly name?: string | undefined;
  /** The name for people. */
  readonly title?: string | undefined;
  /** What it contains. */
  readonly description?: string | undefined;
  /** The type of its content. Default: text/plain for text. */
  readonly mimeType?: string | undefined;
  /** Its size in bytes, where that is known. */
  readonly size?: number | undefined;
  /** For whom it is, and how important. */
  readonly annotations?: Annotations | undefined;
  /** Pictures for lists of clients. */
  readonly icons?: Icon[] | undefined;
  /** Sent as `_meta` in lists. */
  readonly meta?: Meta | undefined;
  /** How long what was read may be reused, where the client caches: `{ ttl: '5m', scope: 'public' }`. Default: not at all. */
  readonly cache?: ResultCacheOptions | undefined;
  /** Completion of template variables: a function, or all the values there are. */
  readonly complete?: Completers | undefined;
  /** For templates: the resources behind it, page by page. `cursor` is what the page before gave as `nextCursor`. */
  readonly list?: ResourceLister | undefined;
}

export type ResourceLister = (
  cursor: string | undefined,
  ctx: Context,
) => ListedResources | Promise<ListedResources>;

/** Where `name`, `mimeType` and the like are absent, they are those of the template. */
export type ListedResource = Pick<Resource, 'uri'> & Partial<Resource>;
export type ListedResources =
  | readonly ListedResource[]
  | { readonly resources: readonly ListedResource[]; readonly nextCursor?: string | undefined };

/**
 * The names in a template: `{id}`, `{+path}`, `{?page,size}`, `{/segment*}`. What a URI may leave out is a string or
 * undefined; a list is always there, and empty then.
 */
export type VariablesOf<Template extends string> = string extends Template
  ? TemplateVariables
  : Readable<Variables<Template>>;

type Readable<T> = { [Name in keyof T]: T[Name] };

type Variables<Template extends string> = Template extends `${string}{${infer Body}}${infer Rest}`
  ? InExpression<Body> & Variables<Rest>
  : unknown;
type InExpression<Body extends string> = Body extends `+${infer Specs}`
  ? Listed<Specs>
  : Body extends `${'#' | '.' | '/' | ';' | '?' | '&'}${infer Specs}`
    ? Optional<Specs>
    : Listed<Body>;
/** The first of several is there; the list may end before the others. */
type Listed<Specs extends string> = Specs extends `${infer Head},${infer Tail}`
  ? One<Head, string> & Optional<Tail>
  : One<Specs, string>;
type Optional<Specs extends string> = Specs extends `${infer Head},${infer Tail}`
  ? One<Head, string | undefined> & Optional<Tail>
  : One<Specs, string | undefined>;
type One<Spec extends string, Text> = { [Name in NameOf<Spec>]: Spec extends `${string}*` ? string[] : Text };
type NameOf<Spec extends string> = Spec extends `${infer Name}*`
  ? Name
  : Spec extends `${infer Name}:${number}`
    ? Name
    : Spec;

export interface ResourceRequest<Variables> {
  readonly uri: string;
  readonly variables: Variables;
}

/** Contents of a resource; without `uri` and `mimeType` they have those of the resource that was read. */
export type ReturnedContents =
  | (Partial<TextResourceContents> & Pick<TextResourceContents, 'text'>)
  | (Partial<BlobResourceContents> & Pick<BlobResourceContents, 'blob'>);

/** Text, bytes, or contents spelled out. `undefined` means that there is no such resource. */
export type ResourceReturn =
  | string
  | Uint8Array
  | ReturnedContents
  | readonly ReturnedContents[]
  | (Omit<ReadResourceResult, 'contents'> & { readonly contents: readonly ReturnedContents[] })
  | undefined;

/** Reads a resource: gets its URI and the variables of a template; returns text, bytes, or contents. */
export type ResourceHandler<
  Variables,
  State extends object = CallState,
  Kept extends KeptValues = AnyKeptValues,
> = (
  request: ResourceRequest<Variables>,
  ctx: Context<State, Kept>,
) => ResourceReturn | Promise<ResourceReturn>;

const RESOURCE_OPTIONS: OptionNames<ResourceDefinition> = {
  name: true,
  title: true,
  description: true,
  mimeType: true,
  size: true,
  annotations: true,
  icons: true,
  meta: true,
  cache: true,
  complete: true,
  list: true,
};

const loadResults = lazily(() => import('./resource-result.js'));

export class ResourceEntry {
  readonly uri: string;
  readonly template: UriTemplate | undefined;
  readonly complete: Completers;
  readonly #definition: ResourceDefinition;
  readonly #cache: CacheHints;
  readonly #handler: ResourceHandler<TemplateVariables>;

  constructor(uri: string, definition: ResourceDefinition, handler: ResourceHandler<TemplateVariables>) {
    assertOptionNames(`Resource "${uri}"`, definition, RESOURCE_OPTIONS);
    assertHandler('resource', uri, handler);
    this.uri = uri;
    this.template = uri.includes('{') ? parseUriTemplate(uri) : undefined;
    if (this.template === undefined && !URL.canParse(uri)) {
      throw new TypeError(`Resource URI "${uri}" is not an absolute URI, such as file:///notes.txt`);
    }
    if (definition.list !== undefined && this.template === undefined)
      throw new TypeError(`Resource "${uri}" has a list, which only templates such as file:///{+path} have`);
    this.complete = definition.complete ?? {};
    assertCompleted('resource', uri, this.complete, this.template?.names ?? []);
    this.#definition = definition;
    this.#cache = cacheHints(definition.cache);
    this.#handler = handler;
  }

  get shown(): Resource {
    const { size } = this.#definition;
    return { uri: this.uri, ...this.#described(), ...(size === undefined ? {} : { size }) };
  }

  get shownTemplate(): ResourceTemplate {
    return { uriTemplate: this.uri, ...this.#described() };
  }

  changed(changes: object, handler: unknown): ResourceEntry {
    const next = handler === undefined ? this.#handler : (handler as ResourceHandler<TemplateVariables>);
    return new ResourceEntry(this.uri, { ...this.#definition, ...changes }, next);
  }

  /** Whether it knows the resources behind it. */
  get lists(): boolean {
    return this.#definition.list !== undefined;
  }

  /** What lists them, and the type of those that name none. */
  get lister(): { readonly list: ResourceLister | undefined; readonly mimeType: string | undefined } {
    const { list, mimeType } = this.#definition;
    return { list, mimeType };
  }

  async read(uri: string, variables: TemplateVariables, ctx: CallContext): Promise<ReadResourceResult> {
    const returned = await starting(ctx, () => this.#handler({ uri, variables }, ctx));
    if (returned === undefined) throw resourceNotFound(uri);
    const { resourceResult } = await loadResults();
    const { mimeType } = this.#definition;
    return { ...this.#cache, ...resourceResult({ name: this.uri, uri, mimeType }, returned) };
  }

  #described(): Omit<Resource, 'uri' | 'size'> {
    const { name, title, description, mimeType, annotations, icons, meta } = this.#definition;
    const shown: Omit<Resource, 'uri' | 'size'> = { name: name ?? this.uri };
    if (title !== undefined) shown.title = title;
    if (description !== undefined) shown.description = description;
    if (mimeType !== undefined) shown.mimeType = mimeType;
    if (annotations !== undefined) shown.annotations = annotations;
    if (icons !== undefined) shown.icons = icons;
    if (meta !== undefined) shown._meta = meta;
    return shown;
  }
}

export function uriOf(params: JsonObject): string | undefined {
  return typeof params.uri === 'string' ? params.uri : undefined;
}
