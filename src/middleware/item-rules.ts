/** Where a rule for tools, prompts or resources is asked: lists, uses, completion, and what clients listen to. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { invalidParams, resourceNotFound } from '../protocol/errors.js';
import type { ListKind } from '../protocol/list-kind.js';
import { canonicalTemplate, canonicalUri, Spellings } from './canonical.js';
import { canonicalName } from './canonical-name.js';
import type { Call, Middleware } from './compose.js';
import type { ItemRule } from './layer.js';
import { ownResult } from './subject.js';

/** The most resources of one stream that are judged; a server accepts no more either. */
const MAX_RESOURCES = 10_000;

/** One rule, at each place where it is asked. */
export interface RuleMiddleware {
  /** For lists, whose items are in this field. */
  showing(field: string): Middleware;
  readonly opening: Middleware;
  /** For completion of references of this type. */
  completing(type: string): Middleware;
  readonly watching: Middleware;
  readonly updating: Middleware;
}

export function ruleMiddleware(kind: ListKind, rule: ItemRule): RuleMiddleware {
  const canonical = new CanonicalRule(kind, rule);
  return {
    showing: (field) => showing(canonical, field),
    opening: opening(canonical),
    completing: (type) => completing(canonical, type),
    watching: watching(canonical),
    updating: updating(canonical),
  };
}

/** A rule that gets to see one spelling of each thing, and the way back to the server's own. */
class CanonicalRule {
  readonly #rule: ItemRule;
  readonly #canonical: (spelling: string) => string | undefined;
  readonly #field: 'name' | 'uri';
  readonly #spellings = new Spellings();

  constructor(kind: ListKind, rule: ItemRule) {
    this.#rule = rule;
    this.#field = kind === 'resources' ? 'uri' : 'name';
    this.#canonical = kind === 'resources' ? canonicalUri : canonicalName;
  }

  /** What was answered after this rule was asked. */
  answered(result: JsonObject): JsonObject {
    return this.#rule.perCaller === true ? ownResult(result) : result;
  }

  /** The params as they go on; undefined where there is no such thing for this caller. */
  async open(params: JsonObject, call: Call, isTemplate = false): Promise<JsonObject | undefined> {
    const field = this.#field;
    const given = params[field];
    if (typeof given !== 'string') return this.#rule.open(params, call);
    const canonical = isTemplate ? canonicalTemplate(given) : this.#canonical(given);
    if (canonical === undefined) return undefined;
    const judged = canonical === given ? params : { ...params, [field]: canonical };
    const opened = await this.#rule.open(judged, call);
    if (opened === undefined || opened[field] !== canonical) return opened;
    const spelling = isTemplate ? given : this.#spellings.of(canonical);
    return spelling === canonical ? opened : { ...opened, [field]: spelling };
  }

  /** The item as its server spelled it, where the rule shows it. */
  async show(item: JsonObject, call: Call): Promise<JsonObject | undefined> {
    const isTemplate = this.#field === 'uri' && typeof item.uriTemplate === 'string';
    const field = isTemplate ? 'uriTemplate' : this.#field;
    const listed = item[field];
    if (typeof listed !== 'string') return this.#rule.show(item, call);
    const canonical = isTemplate ? canonicalTemplate(listed) : this.#canonical(listed);
    if (canonical === undefined) return undefined;
    if (canonical === listed) return this.#rule.show(item, call);
    const judged = { ...item, [field]: canonical };
    const shown = await this.#rule.show(judged, call);
    if (shown === undefined || shown[field] !== canonical) return shown;
    if (!isTemplate) this.#spellings.listed(canonical, listed);
    return shown === judged ? item : { ...shown, [field]: listed };
  }
}

function showing(canonical: CanonicalRule, field: string): Middleware {
  return async (call, next) => {
    const result = await next();
    const items = result[field];
    if (!Array.isArray(items)) return result;
    const shown = await Promise.all(
      items.map((item) => (isRecord(item) ? canonical.show(item, call) : item)),
    );
    return canonical.answered({ ...result, [field]: shown.filter((item) => item !== undefined) });
  };
}

function opening(canonical: CanonicalRule): Middleware {
  return async (call, next) => {
    const params = await canonical.open(call.params, call);
    if (params === undefined) throw unknown(call);
    return canonical.answered(await next(params === call.params ? call : { ...call, params }));
  };
}

/** Suggestions would reveal that a hidden entry exists. */
function completing(canonical: CanonicalRule, type: string): Middleware {
  return async (call, next) => {
    const { ref } = call.params;
    if (!isRecord(ref) || ref.type !== type) return next();
    const isTemplate = typeof ref.uri === 'string' && ref.uri.includes('{');
    const opened = await canonical.open(ref, call, isTemplate);
    if (opened === undefined) throw unknown({ ...call, params: ref });
    return next(opened === ref ? call : { ...call, params: { ...call.params, ref: opened } });
  };
}

/** A stream for what the caller may not read is not opened; the acknowledgement leaves it out, as it does the unknown. */
function watching(canonical: CanonicalRule): Middleware {
  return async (call, next) => {
    const { notifications } = call.params;
    if (!isRecord(notifications) || !Array.isArray(notifications.resourceSubscriptions)) return next();
    const wanted: readonly unknown[] = notifications.resourceSubscriptions;
    if (wanted.length > MAX_RESOURCES) throw invalidParams(`At most ${MAX_RESOURCES} resources a stream`);
    const uris: unknown[] = [];
    for (const uri of wanted) {
      // What is not a URI is for the server to refuse.
      const opened = typeof uri === 'string' ? await canonical.open({ uri }, call) : { uri };
      if (opened !== undefined) uris.push(opened.uri);
    }
    const params = { ...call.params, notifications: { ...notifications, resourceSubscriptions: uris } };
    return next({ ...call, params });
  };
}

/** Changes of what the caller may not read are not reported either, whatever the subscription was for. */
function updating(canonical: CanonicalRule): Middleware {
  return async (call, next) => {
    const opened = await canonical.open(call.params, call);
    return opened === undefined ? {} : next();
  };
}

/** The message for an unknown entry: a refusal must not reveal that the entry exists. */
function unknown({ method, params }: Call): Error {
  if (typeof params.uri === 'string') return resourceNotFound(params.uri);
  const kind = method === 'tools/call' ? 'tool' : 'prompt';
  return invalidParams(`Unknown ${kind}: ${String(params.name)}`, { name: params.name });
}
