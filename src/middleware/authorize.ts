/** Who may use what: asked for the lists and again for each use, so that a name known from elsewhere opens nothing. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { Caller } from './compose.js';
import type { ItemRule, Layer } from './layer.js';
import { argumentsOf } from './subject.js';

export interface AccessRequest {
  readonly kind: 'tool' | 'prompt' | 'resource';
  /** The name, or the URI of a resource. */
  readonly name: string;
  readonly caller: Caller;
  /** Undefined while it is only listed. */
  readonly arguments: JsonObject | undefined;
}

export type Policy = (request: AccessRequest) => boolean | Promise<boolean>;

export function authorize(policy: Policy): Layer {
  return {
    tools: ruleFor('tool', policy),
    prompts: ruleFor('prompt', policy),
    resources: ruleFor('resource', policy),
  };
}

function ruleFor(kind: AccessRequest['kind'], policy: Policy): ItemRule {
  const nameOf = (item: JsonObject): string =>
    String(kind === 'resource' ? (item.uri ?? item.uriTemplate) : item.name);
  // A policy that fails has not said yes.
  const allows = async (request: AccessRequest): Promise<boolean> => (await policy(request)) === true;
  return {
    show: async (item, { caller }) =>
      (await allows({ kind, name: nameOf(item), caller, arguments: undefined })) ? item : undefined,
    open: async (params, { caller }) =>
      (await allows({ kind, name: nameOf(params), caller, arguments: argumentsOf({ params }) }))
        ? params
        : undefined,
  };
}
