/**
 * Entries of lists that break the protocol. A client that validates what it gets throws away the whole list, and behind
 * a gateway that is the list of every server; so what can be mended is, and what cannot is left out.
 * An entry in which nothing is wrong stays the same object.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { Revision } from '../protocol/revisions/index.js';

/** Returns the value itself, a better one, or undefined where nothing can be made of it. */
type Mend = (value: unknown) => unknown;

const text: Mend = (value) => (typeof value === 'string' ? value : undefined);
const flag: Mend = (value) => (typeof value === 'boolean' ? value : undefined);
const count: Mend = (value) => (typeof value === 'number' ? value : undefined);
const anyRecord: Mend = (value) => (isRecord(value) ? value : undefined);
const share: Mend = (value) => (typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined);
const oneOf =
  (...allowed: readonly unknown[]): Mend =>
  (value) =>
    allowed.includes(value) ? value : undefined;

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
const dateTime: Mend = (value) => (typeof value === 'string' && DATE_TIME.test(value) ? value : undefined);

/** Without the items that cannot be mended. */
function listOf(mend: Mend): Mend {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const items: readonly unknown[] = value;
    const mended = items.map(mend).filter((item) => item !== undefined);
    const isSame = mended.length === items.length && mended.every((item, index) => item === items[index]);
    return isSame ? value : mended;
  };
}

/** Members that must be there, and others that are dropped where they cannot be mended. */
function recordOf(
  required: Readonly<Record<string, Mend>>,
  optional: Readonly<Record<string, Mend>>,
): (value: unknown) => JsonObject | undefined {
  return (value) => {
    if (!isRecord(value)) return undefined;
    let record = value;
    for (const [key, mend] of Object.entries(required)) {
      const mended = mend(record[key]);
      if (mended === undefined) return undefined;
      if (mended !== record[key]) record = { ...record, [key]: mended };
    }
    for (const [key, mend] of Object.entries(optional)) {
      if (record[key] === undefined) continue;
      const mended = mend(record[key]);
      if (mended === record[key]) continue;
      const { [key]: _, ...rest } = record;
      record = mended === undefined ? rest : { ...rest, [key]: mended };
    }
    return record;
  };
}

const icons = listOf(
  recordOf({ src: text }, { mimeType: text, sizes: listOf(text), theme: oneOf('light', 'dark') }),
);
const SHOWN = { title: text, description: text, icons, _meta: anyRecord };

/** `true` and `false` are schemas too, which not every client knows. */
const propertySchema: Mend = (value) => {
  if (value === true) return {};
  return value === false ? { not: {} } : anyRecord(value);
};

const properties: Mend = (value) => {
  if (!isRecord(value)) return undefined;
  const mends = Object.fromEntries(Object.keys(value).map((name) => [name, propertySchema]));
  return recordOf({}, mends)(value);
};

/** The schema of an object; where there is none, of any object. */
const objectSchema: Mend = (value) => {
  if (value === undefined || value === null) return { type: 'object' };
  if (!isRecord(value)) return undefined;
  const isTyped = value.type !== undefined && value.type !== null;
  const typed = isTyped ? value : { ...value, type: 'object' };
  return recordOf({ type: oneOf('object') }, { properties, required: listOf(text) })(typed);
};

const tool = (outputSchema: Mend): ReturnType<typeof recordOf> =>
  recordOf(
    { name: text, inputSchema: objectSchema },
    {
      ...SHOWN,
      outputSchema,
      annotations: recordOf(
        {},
        { title: text, readOnlyHint: flag, destructiveHint: flag, idempotentHint: flag, openWorldHint: flag },
      ),
      execution: recordOf({}, { taskSupport: oneOf('required', 'optional', 'forbidden') }),
    },
  );

const prompt = recordOf(
  { name: text },
  { ...SHOWN, arguments: listOf(recordOf({ name: text }, { description: text, required: flag })) },
);

const annotations = recordOf(
  {},
  { audience: listOf(oneOf('user', 'assistant')), priority: share, lastModified: dateTime },
);

/** One without a name is known by where it is. */
function located(key: 'uri' | 'uriTemplate'): ReturnType<typeof recordOf> {
  const mend = recordOf(
    { [key]: text, name: text },
    { ...SHOWN, annotations, mimeType: text, ...(key === 'uri' ? { size: count } : {}) },
  );
  return (value) =>
    mend(isRecord(value) && typeof value.name !== 'string' ? { ...value, name: value[key] } : value);
}

export type ListField = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

const ENTRIES: Readonly<Record<ListField, ReturnType<typeof recordOf>>> = {
  tools: tool(objectSchema),
  prompts: prompt,
  resources: located('uri'),
  resourceTemplates: located('uriTemplate'),
};
const TOOL_OF_ANY_OUTPUT = tool(anyRecord);

/** The entry as every client reads it; undefined where it has to be left out. */
export function mendEntry(field: ListField, entry: unknown, revision: Revision): JsonObject | undefined {
  const isAnyOutput = field === 'tools' && revision.structuredContent === 'any';
  return (isAnyOutput ? TOOL_OF_ANY_OUTPUT : ENTRIES[field])(entry);
}

/** The page with a list in it, and without a cursor that is none. */
export function mendPage(field: ListField, page: JsonObject): JsonObject {
  return (
    recordOf({ [field]: (value) => (Array.isArray(value) ? value : []) }, { nextCursor: text })(page) ?? page
  );
}

/** The members in which the two differ. */
export function changedMembers(entry: JsonObject, mended: JsonObject): string[] {
  const keys = new Set([...Object.keys(entry), ...Object.keys(mended)]);
  return [...keys].filter((key) => entry[key] !== mended[key]);
}
