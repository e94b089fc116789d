/** JSON values as the page meets them: of any shape, from anywhere. */

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type JsonParsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

export function parseJson(text: string): JsonParsed {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** The value if the text is a JSON object or list: what is better read as a tree than as text. */
export function parseStructure(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const parsed = parseJson(text);
  return parsed.ok && typeof parsed.value === 'object' ? parsed.value : undefined;
}
