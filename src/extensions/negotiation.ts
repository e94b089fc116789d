/** What the other side declared of an extension, and the answer to use of it that was not declared. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { missingCapability, type ProtocolError } from '../protocol/errors.js';
import type { AnySchema } from '../protocol/schema/infer.js';
import { createSchema, describeIssues } from '../protocol/schema/schema.js';
import type { ExtensionShape } from './extension.js';

/** Settings as they came off the wire; undefined where the extension was not declared. */
export function declaredSettings(capabilities: object | undefined, id: string): JsonObject | undefined {
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  if (!isRecord(extensions) || !Object.hasOwn(extensions, id)) return undefined;
  const settings = extensions[id];
  return isRecord(settings) ? settings : undefined;
}

export type CheckedSettings =
  | { readonly settings: JsonObject; readonly problem?: undefined }
  | { readonly problem: string };

/** Settings after their schema; without one, any object is fine. */
export async function checkSettings(
  settings: JsonObject,
  schema: AnySchema | undefined,
): Promise<CheckedSettings> {
  if (schema === undefined) return { settings };
  const checked = await createSchema(schema, 'output').check(settings);
  if (checked.issues !== undefined) return { problem: describeIssues(checked.issues) };
  return { settings: isRecord(checked.value) ? checked.value : settings };
}

/** The refusal of a request that uses an extension which it did not declare. */
export function undeclaredExtension({ id }: ExtensionShape, use: string): ProtocolError {
  return missingCapability(
    { extensions: { [id]: {} } },
    `${use} needs the extension ${id}, which the client did not declare`,
  );
}
