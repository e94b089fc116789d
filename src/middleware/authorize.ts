/** Who may use what: asked for the lists and again for each use, so that a name known from elsewhere opens nothing. */

import type { JsonObject } from '../jsonrpc/message.js';
import { readingsOf } from './canonical.js';
import type { Caller } from './compose.js';
import type { ItemRule, Layer } from './layer.js';
import { argumentsOf } from './subject.js';

export interface AccessRequest {
  readonly kind: 'tool' | 'prompt' | 'resource';
  /** The name, or the URI of a resource, in its canonical spelling. */
  readonly name: string;
  readonly caller: Caller;
  /** Undefined while it is only listed. */
  readonly arguments: JsonObject | undefined;
}

export type AccessPolicy = (request: AccessRequest) => boolean | Promise<boolean>;

/** Lets callers use only what the policy allows, and hides the rest from lists. */
export function authorize(policy: AccessPolicy): Layer {
  return {
    tools: ruleFor('tool', policy),
    prompts: ruleFor('prompt', policy),
    resources: ruleFor('resource', policy),
  };
}

function ruleFor(kind: AccessRequest['kind'], policy: AccessPolicy): ItemRule {
  const namesOf = (item: JsonObject): string[] => {
    if (kind !== 'resource') return [String(item.name)];
    return typeof item.uri === 'string' ? readingsOf(item.uri) : [String(item.uriTemplate)];
  };
  const allows = async (item: JsonObject, caller: Caller, args: JsonObject | undefined): Promise<boolean> => {
    // A policy that fails has not said yes, and what can be read in two ways needs two of them.
    for (const name of namesOf(item)) {
      if ((await policy({ kind, name, caller, arguments: args })) !== true) return false;
    }
    return true;
  };
  return {
    perCaller: true,
    show: async (item, { caller }) => ((await allows(item, caller, undefined)) ? item : undefined),
    open: async (params, { caller }) =>
      (await allows(params, caller, argumentsOf({ params }))) ? params : undefined,
  };
}
