/** Results of reading resources. Loaded with the first resource that is read. */

import { isRecord } from '../jsonrpc/message.js';
import { encodeBase64 } from '../protocol/base64.js';
import type { ReadResourceResult, ResourceContents } from '../protocol/model/resources.js';
import type { ResourceReturn } from './resources.js';

/** Which resource was read: `name` is how it is registered, by a URI or a template. */
export interface ReadResource {
  readonly name: string;
  readonly uri: string;
  readonly mimeType: string | undefined;
}

/** What a handler returned, as the result of `resources/read`. Throws where it is none. */
export function resourceResult(
  read: ReadResource,
  returned: Exclude<ResourceReturn, undefined>,
): ReadResourceResult {
  const { uri, mimeType } = read;
  if (typeof returned === 'string')
    return { contents: [{ uri, mimeType: mimeType ?? 'text/plain', text: returned }] };
  if (returned instanceof Uint8Array) {
    return {
      contents: [{ uri, mimeType: mimeType ?? 'application/octet-stream', blob: encodeBase64(returned) }],
    };
  }
  const result: Readonly<Record<string, unknown>> =
    isRecord(returned) && 'contents' in returned ? returned : { contents: returned };
  const contents: readonly unknown[] = Array.isArray(result.contents) ? result.contents : [result.contents];
  return { ...result, contents: contents.map((part) => resourceContents(read, part)) };
}

function resourceContents({ name, uri, mimeType }: ReadResource, part: unknown): ResourceContents {
  if (isRecord(part)) {
    const { text, blob } = part;
    // Parts with a URI of their own may be of another type.
    const isSame = part.uri === undefined || part.uri === uri;
    const place = isSame && mimeType !== undefined ? { uri, mimeType } : { uri };
    if (typeof text === 'string') return { ...place, ...part, text };
    if (typeof blob === 'string') return { ...place, ...part, blob };
  }
  throw new TypeError(
    `Resource "${name}" returned neither text nor contents ({ text } or { blob }); for data, return JSON.stringify(data)`,
  );
}
