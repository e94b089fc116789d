/**
 * What a model reads of a result: its content, and nothing that is meant for programs. `_meta`, `resultType` and
 * annotations stay behind, and so does structured content wherever the same is there as text.
 */

import type { ContentBlock, ImageContent } from '../protocol/model/content.js';
import type { CallToolResult } from '../protocol/model/tools.js';

export type ModelPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

export function modelParts(result: CallToolResult): ModelPart[] {
  const { content, structuredContent } = result;
  if (content.length === 0 && structuredContent !== undefined)
    return [{ type: 'text', text: JSON.stringify(structuredContent) }];
  return content.map(partOf);
}

/** For providers whose tool results are text. */
export function modelText(result: CallToolResult): string {
  return modelParts(result).map(textOfPart).join('\n');
}

export function textOfPart(part: ModelPart): string {
  return part.type === 'text' ? part.text : `[image of type ${part.mimeType}, which cannot be shown here]`;
}

function partOf(block: ContentBlock): ModelPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return imagePart(block);
    case 'audio':
      return { type: 'text', text: `[audio of type ${block.mimeType}, which cannot be played here]` };
    case 'resource_link':
      return { type: 'text', text: `[resource ${block.title ?? block.name}: ${block.uri}]` };
    case 'resource': {
      const { resource } = block;
      if ('text' in resource && typeof resource.text === 'string')
        return { type: 'text', text: resource.text };
      const { mimeType = 'application/octet-stream' } = resource;
      if ('blob' in resource && typeof resource.blob === 'string' && mimeType.startsWith('image/'))
        return { type: 'image', data: resource.blob, mimeType };
      return { type: 'text', text: `[resource ${resource.uri} of type ${mimeType}]` };
    }
  }
}

function imagePart({ data, mimeType }: ImageContent): ModelPart {
  return { type: 'image', data, mimeType };
}

export function dataUrl({ data, mimeType }: { readonly data: string; readonly mimeType: string }): string {
  return `data:${mimeType};base64,${data}`;
}
