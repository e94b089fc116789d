/** Prompts: their arguments, with completion, and the messages that they make. */

import { useState } from 'react';
import type { InspectedCatalogue, ServerView } from '../../../api.js';
import { CatalogueGate } from '../../components/catalogue-gate.js';
import { EmptyState } from '../../components/empty-state.js';
import { LinkList } from '../../components/link-list.js';
import { ListHead } from '../../components/list-head.js';
import { matches } from '../../components/search.js';
import { SplitView } from '../../components/split-view.js';
import { routeHash, useRoute } from '../../state/route.js';
import { PromptDetail } from './prompt-detail.js';

export function PromptsPanel() {
  return (
    <CatalogueGate icon="prompts">
      {(server, catalogue) => <Prompts server={server} catalogue={catalogue} />}
    </CatalogueGate>
  );
}

function Prompts({ server, catalogue }: { server: ServerView; catalogue: InspectedCatalogue }) {
  const route = useRoute();
  const [search, setSearch] = useState('');
  const { items, failure } = catalogue.prompts;
  const shown = items.filter(({ name, title, description }) => matches(search, name, title, description));
  const selected =
    items.find(({ name }) => name === route.item) ?? (route.item === undefined ? shown[0] : undefined);
  if (items.length === 0) {
    return (
      <EmptyState icon="prompts" title="No prompts">
        {failure?.message ?? 'The server does not offer any.'}
      </EmptyState>
    );
  }
  return (
    <SplitView
      label="Prompts"
      open={route.item !== undefined}
      head={
        <ListHead
          noun="prompt"
          search={search}
          onSearch={setSearch}
          count={shown.length}
          total={items.length}
          server={server.id}
        />
      }
      list={
        <LinkList
          label="Prompts"
          selected={selected?.name}
          items={shown.map((prompt) => ({
            key: prompt.name,
            href: routeHash('prompts', server.id, prompt.name),
            content: (
              <>
                <span className="ellipsis">{prompt.title ?? prompt.name}</span>
                <span className="soft">{prompt.description ?? prompt.name}</span>
              </>
            ),
          }))}
        />
      }
      detail={
        selected ? (
          <PromptDetail key={`${server.id} ${selected.name}`} server={server} prompt={selected} />
        ) : (
          <EmptyState icon="prompts" title={`No prompt ${route.item ?? ''}`}>
            The server has no prompt of this name.
          </EmptyState>
        )
      }
      detailLabel={selected ? `Prompt ${selected.name}` : 'Prompt'}
    />
  );
}
