/** Tools: find one, fill in its form, call it, and read the result. */

import { useMemo, useState } from 'react';
import type { InspectedCatalogue, ServerView } from '../../../api.js';
import { CatalogueGate } from '../../components/catalogue-gate.js';
import { EmptyState } from '../../components/empty-state.js';
import { LinkList } from '../../components/link-list.js';
import { ListHead } from '../../components/list-head.js';
import { matches } from '../../components/search.js';
import { SplitView } from '../../components/split-view.js';
import { routeHash, useRoute } from '../../state/route.js';
import { SavedCalls } from './saved-calls.js';
import { ToolDetail } from './tool-detail.js';

export function ToolsPanel() {
  return (
    <CatalogueGate icon="tools">
      {(server, catalogue) => <Tools server={server} catalogue={catalogue} />}
    </CatalogueGate>
  );
}

type Tool = InspectedCatalogue['tools']['items'][number];

function Tools({ server, catalogue }: { server: ServerView; catalogue: InspectedCatalogue }) {
  const route = useRoute();
  const [search, setSearch] = useState('');
  const { items, declared, failure } = catalogue.tools;
  const shown = useMemo(
    () => items.filter((tool) => matches(search, tool.name, tool.title, tool.description)),
    [items, search],
  );
  const selected =
    items.find(({ name }) => name === route.item) ?? (route.item === undefined ? shown[0] : undefined);
  // Thousands of links are drawn again only when they are others.
  const list = useMemo(
    () => (
      <LinkList
        label="Tools"
        selected={selected?.name}
        items={shown.map((tool) => ({
          key: tool.name,
          href: routeHash('tools', server.id, tool.name),
          content: <ToolLine tool={tool} />,
        }))}
      />
    ),
    [shown, selected?.name, server.id],
  );
  if (items.length === 0) {
    return (
      <EmptyState icon="tools" title="No tools">
        {failure?.message ??
          (declared ? 'The server has a list of tools, and it is empty.' : 'The server does not offer any.')}
      </EmptyState>
    );
  }
  return (
    <SplitView
      label="Tools"
      open={route.item !== undefined}
      head={
        <ListHead
          noun="tool"
          search={search}
          onSearch={setSearch}
          count={shown.length}
          total={items.length}
          server={server.id}
        />
      }
      list={
        <>
          {list}
          <SavedCalls server={server} />
        </>
      }
      detail={
        selected ? (
          <ToolDetail key={`${server.id} ${selected.name}`} server={server} tool={selected} />
        ) : (
          <EmptyState icon="tools" title={`No tool ${route.item ?? ''}`}>
            The server has no tool of this name. It may have removed it.
          </EmptyState>
        )
      }
      detailLabel={selected ? `Tool ${selected.name}` : 'Tool'}
    />
  );
}

function ToolLine({ tool }: { tool: Tool }) {
  return (
    <>
      <span className="ellipsis">{tool.title ?? tool.annotations?.title ?? tool.name}</span>
      <span className="soft">{tool.description ?? tool.name}</span>
    </>
  );
}
