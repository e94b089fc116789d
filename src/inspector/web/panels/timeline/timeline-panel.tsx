/** Traffic: every message both ways, by exchange, one by one, as a sequence diagram, or hop by hop. */

import { type ComponentType, useMemo, useState } from 'react';
import type { MessageFilter, TimelineRow } from '../../../api.js';
import { EmptyState } from '../../components/empty-state.js';
import { useInspector } from '../../state/inspector.js';
import { goTo, routeHash, useRoute } from '../../state/route.js';
import { DiagramHead, DiagramRow } from './diagram-row.js';
import { ExchangeRow } from './exchange-row.js';
import { FigureCharts } from './figure-charts.js';
import { type FilterChoice, isFiltered, NO_FILTER, toFilter } from './filter-state.js';
import { HopsHead, HopsRow } from './hops-row.js';
import { MessageRow } from './message-row.js';
import { TimelineBar, type TimelineView } from './timeline-bar.js';
import { TrafficList } from './traffic-list.js';

const ROWS: Readonly<Record<TimelineView, ComponentType<{ readonly message: TimelineRow }>>> = {
  exchanges: ExchangeRow,
  messages: MessageRow,
  diagram: DiagramRow,
  hops: HopsRow,
};

export function TimelinePanel() {
  const route = useRoute();
  const group = numberOf(route.query.get('group'));
  const run = route.query.get('run');
  const [view, setView] = useState<TimelineView>('exchanges');
  const [choice, setChoice] = useState<FilterChoice>(NO_FILTER);
  const [follow, setFollow] = useState(true);
  const recorded = useInspector((state) => state.timeline.messages);
  const narrowed = useMemo(
    () => ({ ...choice, ...(group === undefined ? {} : { group }), ...(run === undefined ? {} : { run }) }),
    [choice, group, run],
  );
  const filter = useMemo<MessageFilter>(
    // Only what a chain says and hears has hops.
    () => ({ ...toFilter(narrowed), ...(view === 'hops' ? { hops: ['client', 'upstream'] } : {}) }),
    [narrowed, view],
  );
  const query = Object.fromEntries(route.query);
  return (
    <div className="panel">
      <TimelineBar
        view={view}
        onView={setView}
        choice={narrowed}
        filter={filter}
        follow={follow}
        onFollow={setFollow}
        onChoice={(next) => {
          setChoice(next);
          if (next.group === undefined && next.run === undefined && route.query.size > 0) {
            goTo(routeHash('timeline', route.server, route.item));
          }
        }}
      />
      <TrafficList
        label="Messages"
        filter={filter}
        rows={view === 'exchanges' ? 'exchanges' : 'messages'}
        Row={ROWS[view]}
        head={
          <>
            {view === 'hops' && <FigureCharts server={choice.server} />}
            {view === 'diagram' && <DiagramHead />}
            {view === 'hops' && <HopsHead />}
          </>
        }
        empty={<NoMessages view={view} recorded={recorded} filtered={isFiltered(narrowed)} />}
        seq={numberOf(route.item)}
        follow={follow}
        onFollow={setFollow}
        onOpen={(message) =>
          goTo(
            message === undefined
              ? routeHash('timeline', route.server, undefined, query)
              : routeHash('timeline', route.server ?? message.server, String(message.seq), query),
          )
        }
      />
    </div>
  );
}

function NoMessages({
  view,
  recorded,
  filtered,
}: {
  view: TimelineView;
  recorded: number;
  filtered: boolean;
}) {
  const [chain] = useInspector((state) => state.chains);
  if (view === 'hops' && !filtered) {
    return (
      <EmptyState inside icon="timeline" title="No traffic of a chain">
        Where this process runs a chain, the messages with its clients and those with the servers behind it
        stand here side by side.
      </EmptyState>
    );
  }
  if (filtered && recorded > 0) {
    return (
      <EmptyState inside icon="search" title="No message matches">
        Loosen the filter to see the others.
      </EmptyState>
    );
  }
  if (chain !== undefined) {
    return (
      <EmptyState inside icon="timeline" title={`Watching ${chain.name}`}>
        Connect a client{chain.url === undefined ? '' : ` to ${chain.url}`}: what it asks, and what the chain
        makes of it, appears here as it happens.
      </EmptyState>
    );
  }
  return (
    <EmptyState inside icon="timeline" title="No messages yet">
      Everything that goes to a server and comes from it appears here, as it happens.
    </EmptyState>
  );
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}
