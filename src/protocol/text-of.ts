/** The text of what a tool or a model answered. */

import type { ContentBlock, SamplingContent } from './model/content.js';

type Block = ContentBlock | SamplingContent;

/**
 * The text of a tool's result or of a model's message, its blocks separated by line breaks; text resources that came
 * along included.
 */
export function textOf({ content }: { readonly content: Block | readonly Block[] }): string {
  const texts: string[] = [];
  for (const block of isList(content) ? content : [content]) {
    if (block.type === 'text') texts.push(block.text);
    else if (block.type === 'resource' && 'text' in block.resource) texts.push(block.resource.text);
  }
  return texts.join('\n');
}

function isList(content: Block | readonly Block[]): content is readonly Block[] {
  return Array.isArray(content);
}
