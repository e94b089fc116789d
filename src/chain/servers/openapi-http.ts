/**
 * Where the request of an operation goes, and how its answer is read. Arguments come from a model, and the document may
 * come from elsewhere: neither may lead to another path, let alone to another host, because credentials go along.
 */

import type { JsonObject } from '../../jsonrpc/message.js';
import { ToolError } from '../../server/index.js';

interface Addressed {
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
}

export function assertBaseUrl(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new TypeError(`"${baseUrl}" is not a base URL; give one such as https://api.example.com/v1`);
}

/** Without its slash a path would become part of the host: `https://api.example.com` and `:8443/x`. */
export function assertPath(path: string): void {
  if (!path.startsWith('/'))
    throw new TypeError(`The path "${path}" of the OpenAPI document must begin with "/"`);
  const problem = problemOf(path.replaceAll(/\{[^{}]*\}/g, 'x'));
  if (problem !== undefined || /[?#]/.test(path))
    throw new TypeError(
      `The path "${path}" of the OpenAPI document must not contain ${problem ?? '"?" or "#"'}`,
    );
}

export function operationUrl(baseUrl: string, { path, parameters }: Addressed, args: JsonObject): URL {
  const names = new Set(parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name));
  const target = path.replaceAll(/\{([^{}]*)\}/g, (_whole, name: string) => {
    const value = names.has(name) ? args[name] : undefined;
    if (value === undefined) throw new ToolError(`The argument "${name}" is missing: it is part of the path`);
    return pathSegment(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  });
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  const url = new URL(`${base.origin}${prefix}${target}`);
  url.username = base.username;
  url.password = base.password;
  // The last word is the URL's own: nothing in it was read in another way than it was written.
  if (
    url.origin !== base.origin ||
    url.pathname !== `${prefix}${target}` ||
    problemOf(url.pathname) !== undefined
  )
    throw new ToolError(`The arguments lead away from ${path}`);
  return url;
}

function pathSegment(name: string, value: string): string {
  const problem = value === '' ? 'an empty text' : problemOf(`/${value}`);
  if (problem !== undefined)
    throw new ToolError(`The argument "${name}" is part of the path and must not be or contain ${problem}`);
  try {
    return encodeURIComponent(value);
  } catch {
    throw new ToolError(`The argument "${name}" is part of the path and must not contain a lone surrogate`);
  }
}

/** What some server takes for a way to another path, however often it is escaped. */
function problemOf(path: string): string | undefined {
  const decoded = decodedFully(path);
  if (decoded === undefined) return 'an escape within an escape';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(decoded)) return 'a control character';
  if (decoded.includes('\\')) return 'a backslash';
  if (decoded.includes('//')) return '"//"';
  const isDots = (segment: string): boolean => /^\.{1,2}(?:;|$)/.test(segment);
  return decoded.split('/').some(isDots) ? 'a segment "." or ".."' : undefined;
}

const MAX_ROUNDS = 4;

/** Undefined when there is still something to decode after as many rounds as anybody has a reason for. */
function decodedFully(text: string): string | undefined {
  let decoded = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = decoded;
    decoded = decoded.replaceAll(/%([0-9a-f]{2})/gi, (_whole, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    if (decoded === before) return decoded;
  }
  return undefined;
}

/** As much of the body as is wanted; the rest is never fetched. */
export async function readText(response: Response, maxCharacters: number): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    const part = done ? decoder.decode() : decoder.decode(value, { stream: true });
    parts.push(part);
    length += part.length;
    if (done) break;
    if (length < maxCharacters) continue;
    await reader.cancel().catch(() => undefined);
    break;
  }
  return parts.join('').slice(0, maxCharacters);
}
