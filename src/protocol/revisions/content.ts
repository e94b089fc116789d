/** Content blocks for a peer of a given revision: what it cannot read becomes the nearest thing it can. */

import type { Annotations } from '../model/base.js';
import type { ContentBlock, ResourceLink } from '../model/content.js';
import type { ResourceContents } from '../model/resources.js';
import type { Revision } from './revision.js';
import { mapUnchanged, readable } from './vocabulary.js';

export function encodeContent(revision: Revision, content: readonly ContentBlock[]): readonly ContentBlock[] {
  return mapUnchanged(content, (block) => encodeBlock(revision, block));
}

export function encodeBlock(revision: Revision, block: ContentBlock): ContentBlock {
  if (!revision.contentTypes.has(block.type)) return substitute(block);
  // A link has the fields of the resource that it leads to.
  const shape = block.type === 'resource_link' ? 'resource' : 'content';
  const stripped = withAnnotations(revision, readable(revision, shape, block));
  if (stripped.type !== 'resource') return stripped;
  const resource = encodeResourceContents(revision, stripped.resource);
  return resource === stripped.resource ? stripped : { ...stripped, resource };
}

export function encodeResourceContents(revision: Revision, contents: ResourceContents): ResourceContents {
  return readable(revision, 'resourceContents', contents);
}

/** The `annotations` of a resource or content block, without fields that came later. */
export function withAnnotations<T extends { annotations?: Annotations }>(revision: Revision, value: T): T {
  if (value.annotations === undefined) return value;
  const annotations = readable(revision, 'annotations', value.annotations);
  return annotations === value.annotations ? value : { ...value, annotations };
}

function substitute(block: ContentBlock): ContentBlock {
  switch (block.type) {
    case 'resource_link':
      return { type: 'text', text: describeLink(block) };
    case 'audio':
      // The bytes stay available to clients that look into embedded resources.
      return {
        type: 'resource',
        resource: { uri: 'audio:embedded', mimeType: block.mimeType, blob: block.data },
      };
    default:
      return { type: 'text', text: `[${block.type} content, which this protocol revision cannot carry]` };
  }
}

function describeLink(link: ResourceLink): string {
  const title = link.title ?? link.name;
  const head = title === link.uri ? link.uri : `${title}: ${link.uri}`;
  return link.description === undefined ? head : `${head}\n${link.description}`;
}
