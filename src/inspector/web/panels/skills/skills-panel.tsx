/** Skills of a server: their frontmatter, and their files, read when asked for and compared with their digests. */

import { useState } from 'react';
import type { InspectedCatalogue, InspectedSkill, ServerView } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { CatalogueGate } from '../../components/catalogue-gate.js';
import { EmptyState } from '../../components/empty-state.js';
import { LinkList } from '../../components/link-list.js';
import { ListHead } from '../../components/list-head.js';
import { matches } from '../../components/search.js';
import { SplitView } from '../../components/split-view.js';
import { routeHash, useRoute } from '../../state/route.js';
import { SkillDetail } from './skill-detail.js';

export function SkillsPanel() {
  return (
    <CatalogueGate icon="skills">
      {(server, catalogue) => <Skills server={server} catalogue={catalogue} />}
    </CatalogueGate>
  );
}

function Skills({ server, catalogue }: { server: ServerView; catalogue: InspectedCatalogue }) {
  const { item } = useRoute();
  const [search, setSearch] = useState('');
  const { items, declared, failure } = catalogue.skills;
  if (items.length === 0) {
    return (
      <EmptyState icon="skills" title="No skills">
        {failure?.message ??
          (declared
            ? 'The server lists none. It may have skills that it does not list.'
            : 'The server does not declare skills in this revision.')}
      </EmptyState>
    );
  }
  const shown = items.filter(({ uri, name, description }) => matches(search, uri, name, description));
  const selected = items.find(({ uri }) => uri === item) ?? (item === undefined ? shown[0] : undefined);
  return (
    <SplitView
      label="Skills"
      open={item !== undefined}
      head={
        <ListHead
          noun="skill"
          search={search}
          onSearch={setSearch}
          count={shown.length}
          total={items.length}
          server={server.id}
        />
      }
      list={
        <LinkList
          label="Skills"
          selected={selected?.uri}
          items={shown.map((skill) => ({
            key: skill.uri,
            href: routeHash('skills', server.id, skill.uri),
            content: <SkillLine skill={skill} />,
          }))}
        />
      }
      detail={
        selected ? (
          <SkillDetail key={`${server.id} ${selected.uri}`} server={server} skill={selected} />
        ) : (
          <EmptyState icon="skills" title="No such skill">
            The server does not list {item}.
          </EmptyState>
        )
      }
      detailLabel={selected ? `Skill ${selected.name}` : 'Skill'}
    />
  );
}

function SkillLine({ skill: { name, uri, description, problem } }: { skill: InspectedSkill }) {
  return (
    <>
      <span className="row">
        <span className="ellipsis grow">{name}</span>
        {problem !== undefined && <Badge tone="bad">unusable</Badge>}
      </span>
      <span className="soft">{description === '' ? uri : description}</span>
    </>
  );
}
