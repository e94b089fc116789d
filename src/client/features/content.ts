/** What is in a result: its text, its pictures, its links. */

import { decodeBase64 } from '../../protocol/base64.js';
import type { ContentBlock, ResourceLink } from '../../protocol/model/content.js';

/** Anything with content blocks: the result of a tool, or a list of them. */
type WithContent = { readonly content: readonly ContentBlock[] };

/** The pictures of a tool's result, as bytes. */
export function imagesOf(result: WithContent): { bytes: Uint8Array<ArrayBuffer>; mimeType: string }[] {
  return result.content.flatMap((block) =>
    block.type === 'image' ? [{ bytes: decodeBase64(block.data), mimeType: block.mimeType }] : [],
  );
}

/** The resources that a tool's result links to. */
export function linksOf(result: WithContent): ResourceLink[] {
  return result.content.filter((block) => block.type === 'resource_link');
}
