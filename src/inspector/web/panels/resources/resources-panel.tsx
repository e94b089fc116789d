/** Resources: a tree of those that the server lists, and its templates. */

import { useState } from 'react';
import type { InspectedCatalogue, ServerView } from '../../../api.js';
import { CatalogueGate } from '../../components/catalogue-gate.js';
import { EmptyState } from '../../components/empty-state.js';
import { LinkList } from '../../components/link-list.js';
import { ListHead } from '../../components/list-head.js';
import { matches } from '../../components/search.js';
import { SplitView } from '../../components/split-view.js';
import { routeHash, useRoute } from '../../state/route.js';
import { ResourceDetail } from './resource-detail.js';
import { ResourceTree } from './resource-tree.js';
import { TemplateDetail } from './template-detail.js';

export function ResourcesPanel() {
  return (
    <CatalogueGate icon="resources">
      {(server, catalogue) => <Resources server={server} catalogue={catalogue} />}
    </CatalogueGate>
  );
}

function Resources({ server, catalogue }: { server: ServerView; catalogue: InspectedCatalogue }) {
  const { item } = useRoute();
  const [search, setSearch] = useState('');
  const all = catalogue.resources.items;
  const resources = all.filter(({ uri, name, title, description }) =>
    matches(search, uri, name, title, description),
  );
  const templates = catalogue.templates.items.filter(({ uriTemplate, name, title, description }) =>
    matches(search, uriTemplate, name, title, description),
  );
  const total = all.length + catalogue.templates.items.length;
  const selected = item ?? resources[0]?.uri ?? templates[0]?.uriTemplate;
  const template = catalogue.templates.items.find(({ uriTemplate }) => uriTemplate === selected);
  if (total === 0 && selected === undefined) {
    return (
      <EmptyState icon="resources" title="No resources">
        {catalogue.resources.failure?.message ?? 'The server does not offer any.'}
      </EmptyState>
    );
  }
  return (
    <SplitView
      label="Resources"
      open={item !== undefined}
      head={
        <ListHead
          noun="resource"
          search={search}
          onSearch={setSearch}
          count={resources.length + templates.length}
          total={total}
          server={server.id}
        />
      }
      list={
        <>
          <ResourceTree server={server} resources={resources} selected={selected} />
          {templates.length > 0 && <h2 className="small soft list-heading">Templates</h2>}
          <LinkList
            label="Templates"
            selected={selected}
            items={templates.map((each) => ({
              key: each.uriTemplate,
              href: routeHash('resources', server.id, each.uriTemplate),
              content: (
                <>
                  <span className="ellipsis">{each.title ?? each.name}</span>
                  <span className="soft mono">{each.uriTemplate}</span>
                </>
              ),
            }))}
          />
        </>
      }
      detail={
        template ? (
          <TemplateDetail key={`${server.id} ${selected}`} server={server} template={template} />
        ) : (
          selected && (
            <ResourceDetail
              key={`${server.id} ${selected}`}
              server={server}
              uri={selected}
              resource={all.find(({ uri }) => uri === selected)}
            />
          )
        )
      }
      detailLabel="Resource"
    />
  );
}
