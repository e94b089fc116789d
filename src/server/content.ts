/** Content blocks for what handlers return: `return [text('Here it is:'), image(bytes, 'image/png')]`. */

import { encodeBase64 } from '../protocol/base64.js';
import type { AudioContent, ImageContent, ResourceLink, TextContent } from '../protocol/model/content.js';

/** Optional fields of a block, such as `annotations` and `_meta`. */
type Extras<Block> = Omit<Block, 'type' | 'text' | 'data' | 'mimeType' | 'uri' | 'name'>;

/** A text block of a result. */
export function text(value: string, extras: Extras<TextContent> = {}): TextContent {
  return { type: 'text', text: value, ...extras };
}

/** `data` is the picture's bytes, or their base64. */
export function image(
  data: Uint8Array | string,
  mimeType: string,
  extras: Extras<ImageContent> = {},
): ImageContent {
  return { type: 'image', data: base64Of(data), mimeType, ...extras };
}

/** `data` is the recording's bytes, or their base64. */
export function audio(
  data: Uint8Array | string,
  mimeType: string,
  extras: Extras<AudioContent> = {},
): AudioContent {
  return { type: 'audio', data: base64Of(data), mimeType, ...extras };
}

/** A resource that the client may read later: `resourceLink('file:///log.txt', 'log', { mimeType: 'text/plain' })`. */
export function resourceLink(
  uri: string,
  name: string,
  extras: Omit<ResourceLink, 'type' | 'uri' | 'name'> = {},
): ResourceLink {
  return { type: 'resource_link', uri, name, ...extras };
}

function base64Of(data: Uint8Array | string): string {
  return typeof data === 'string' ? data : encodeBase64(data);
}
