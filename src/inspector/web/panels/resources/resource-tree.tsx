import type { InspectedCatalogue, ServerView } from '../../../api.js';
import { Icon } from '../../components/icon.js';
import { LinkList } from '../../components/link-list.js';
import { routeHash } from '../../state/route.js';
import { folders } from './folders.js';

type Resource = InspectedCatalogue['resources']['items'][number];

/** Resources by the folders of their addresses. */
export function ResourceTree({
  server,
  resources,
  selected,
}: {
  server: ServerView;
  resources: readonly Resource[];
  selected: string | undefined;
}) {
  return (
    <>
      {folders(resources).map(({ folder, items }) => (
        <details key={folder} open className="folder">
          <summary className="small soft">
            <Icon name="right" size={12} />
            <span className="mono ellipsis">{folder}</span>
            <span className="badge">{items.length}</span>
          </summary>
          <LinkList
            label={folder}
            selected={selected}
            items={items.map((resource) => ({
              key: resource.uri,
              href: routeHash('resources', server.id, resource.uri),
              content: (
                <>
                  <span className="row">
                    <span className="ellipsis grow">{resource.title ?? resource.name}</span>
                    {server.subscriptions.includes(resource.uri) && <Icon name="bell" size={13} />}
                  </span>
                  <span className="soft mono">{resource.uri}</span>
                </>
              ),
            }))}
          />
        </details>
      ))}
    </>
  );
}
