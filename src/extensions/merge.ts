/**
 * One declaration of an extension for several servers. Settings are promises, so a gateway cannot unite them: what one
 * server promises, another may not keep. Each extension has a rule; without one, the extension is not declared.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { NamedSettings } from '../protocol/model/capabilities.js';
import type { ExtensionShape, SettingsRule } from './extension.js';

/** The settings that all servers agree on: flags that all have set, values that are the same in all. */
const whatAllAgreeOn: SettingsRule = (declared) => {
  const [first, ...others] = declared;
  if (first === undefined) return undefined;
  // Two revisions of an extension are two vocabularies.
  if (others.some(({ revision }) => revision !== first.revision)) return undefined;
  const agreed = Object.entries(first).filter(([key, value]) =>
    others.every((other) => isSame(other[key], value)),
  );
  return Object.fromEntries(agreed);
};

/** Settings by extension, merged by the rules of the extensions that are known. */
export function mergeDeclarations(
  declared: readonly (NamedSettings | undefined)[],
  known: readonly ExtensionShape[],
): NamedSettings | undefined {
  const merged: NamedSettings = {};
  for (const { id, merge = whatAllAgreeOn } of known) {
    const own = declared.flatMap((extensions) => {
      const settings = extensions?.[id];
      return isRecord(settings) ? [settings] : [];
    });
    const settings = own.length === 0 ? undefined : merge(own);
    if (settings !== undefined) merged[id] = settings;
  }
  return Object.keys(merged).length === 0 ? undefined : merged;
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  if (!isRecord(one) || !isRecord(other)) return false;
  return hasSame(one, other) && hasSame(other, one);
}

function hasSame(one: JsonObject, other: JsonObject): boolean {
  return Object.entries(one).every(([key, value]) => isSame(other[key], value));
}
