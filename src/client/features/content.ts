/** What is in a result: its text, its pictures, its links. */

import { decodeBase64 } from '../../protocol/base64.js';
import type { ContentBlock, ResourceLink } from '../../protocol/model/content.js';

/** Anything with content blocks: the result of a tool, or a list of them. */
type WithContent = { readonly content: readonly ContentBlock[] };

/** The text of a tool's result, its blocks separated by line breaks; text resources that came along included. */
export function textOf(result: WithContent): string {
  const texts: string[] = [];
  for (const block of result.content) {
    if (block.type === 'text') texts.push(block.text);
    else if (block.type === 'resource' && 'text' in block.resource) texts.push(block.resource.text);
  }
  return texts.join('\n');
}

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
