/** The content blocks of results, prompts and samplings, each kind in its own way. */

import { JsonTree } from './json-tree.js';
import { isObject } from './json-value.js';
import { Media } from './media.js';
import { ResourceContentsView } from './resource-contents.js';
import { SafeLink } from './safe-link.js';
import { TextView } from './text-view.js';

/** Where a link to a resource of the same server leads, inside the page. */
export type ResourceHref = (uri: string) => string;

export function ContentList({
  blocks,
  resourceHref,
}: {
  blocks: readonly unknown[];
  resourceHref?: ResourceHref;
}) {
  return (
    <div className="stack">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no names, and a result never changes
        <ContentBlockView key={index} block={block} {...(resourceHref ? { resourceHref } : {})} />
      ))}
    </div>
  );
}

function ContentBlockView({ block, resourceHref }: { block: unknown; resourceHref?: ResourceHref }) {
  if (!isObject(block)) return <JsonTree value={block} label="Content" />;
  switch (block.type) {
    case 'text':
      if (typeof block.text === 'string') return <TextView text={block.text} />;
      break;
    case 'image':
    case 'audio':
      return <Media kind={block.type} data={block.data} mimeType={block.mimeType} />;
    case 'resource_link':
      return <ResourceLinkView link={block} {...(resourceHref ? { resourceHref } : {})} />;
    case 'resource':
      return (
        <figure className="content-frame stack-tight">
          <figcaption className="small soft">Embedded resource</figcaption>
          <ResourceContentsView contents={block.resource} />
        </figure>
      );
    default:
  }
  return <JsonTree value={block} label={`Content of kind ${String(block.type)}`} />;
}

function ResourceLinkView({
  link,
  resourceHref,
}: {
  link: Readonly<Record<string, unknown>>;
  resourceHref?: ResourceHref;
}) {
  const uri = String(link.uri);
  const title = String(link.title ?? link.name ?? uri);
  return (
    <div className="content-frame stack-tight">
      <div className="row-wrap">
        <strong className="wrap">{title}</strong>
        {typeof link.mimeType === 'string' && <span className="badge">{link.mimeType}</span>}
      </div>
      {typeof link.description === 'string' && <p className="soft wrap">{link.description}</p>}
      <div className="row-wrap">
        {resourceHref && <a href={resourceHref(uri)}>Read it</a>}
        <SafeLink address={uri} />
      </div>
    </div>
  );
}
