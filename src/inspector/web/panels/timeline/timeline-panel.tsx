/** Timeline: every message both ways, as a list, as a sequence diagram, or hop by hop. */

import { useEffect, useMemo, useRef, useState } from 'react';
import type { MessageFilter, MessageSummary } from '../../../api.js';
import { EmptyState } from '../../components/empty-state.js';
import { Notice } from '../../components/notice.js';
import { VirtualList, type VirtualListHandle } from '../../components/virtual-list.js';
import { command } from '../../state/api-client.js';
import { useInspector } from '../../state/inspector.js';
import { goTo, routeHash, useRoute } from '../../state/route.js';
import { useRowHeight } from '../../state/row-height.js';
import { DiagramHead, DiagramRow } from './diagram-row.js';
import { FigureCharts } from './figure-charts.js';
import { type FilterChoice, isFiltered, NO_FILTER, toFilter } from './filter-state.js';
import { HopsHead, HopsRow } from './hops-row.js';
import { MessageDetailView } from './message-detail.js';
import { MessageRow } from './message-row.js';
import { TimelineBar, type TimelineView } from './timeline-bar.js';
import { useMessages } from './use-messages.js';

const ROWS = { list: MessageRow, diagram: DiagramRow, hops: HopsRow } as const;

export function TimelinePanel() {
  const route = useRoute();
  const group = numberOf(route.query.get('group'));
  const run = route.query.get('run');
  const [view, setView] = useState<TimelineView>('list');
  const [choice, setChoice] = useState<FilterChoice>(NO_FILTER);
  const narrowed = useMemo(
    () => ({ ...choice, ...(group === undefined ? {} : { group }), ...(run === undefined ? {} : { run }) }),
    [choice, group, run],
  );
  const filter = useMemo<MessageFilter>(
    // Only what a chain says and hears has hops.
    () => ({ ...toFilter(narrowed), ...(view === 'hops' ? { hops: ['client', 'upstream'] } : {}) }),
    [narrowed, view],
  );
  const messages = useMessages(filter);
  const recorded = useInspector((state) => state.timeline.messages);
  const [follow, setFollow] = useState(true);
  const list = useRef<VirtualListHandle>(null);
  const rowHeight = useRowHeight();
  const seq = numberOf(route.item);
  const [index, setIndex] = useState<number | undefined>();

  // A link leads to a message by its seq; where it is in the list depends on the filter.
  useEffect(() => {
    if (seq === undefined) {
      setIndex(undefined);
      return;
    }
    let wanted = true;
    command('timeline.locate', { filter, seq }).then(
      ({ offset }) => {
        if (!wanted) return;
        setIndex(offset ?? undefined);
        if (offset !== null) requestAnimationFrame(() => list.current?.scrollTo(offset));
      },
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [seq, filter]);

  const query = Object.fromEntries(route.query);
  const open = (message: MessageSummary | undefined) => {
    if (message === undefined) return;
    setFollow(false);
    goTo(routeHash('timeline', route.server ?? message.server, String(message.seq), query));
  };
  const close = () => goTo(routeHash('timeline', route.server, undefined, query));
  const Row = ROWS[view];
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
      {messages.problem && <Notice tone="bad">{messages.problem}</Notice>}
      <div className="timeline" data-open={seq !== undefined}>
        <div className="timeline-list" data-view={view}>
          {view === 'hops' && <FigureCharts server={choice.server} />}
          {view === 'diagram' && <DiagramHead />}
          {view === 'hops' && <HopsHead />}
          {messages.known && messages.total === 0 && (
            <NoMessages view={view} recorded={recorded} filtered={isFiltered(narrowed)} />
          )}
          <VirtualList
            label="Messages"
            count={messages.total}
            rowHeight={rowHeight}
            selected={index}
            follow={follow}
            handle={list}
            onVisible={messages.show}
            onSelect={(next) => {
              setIndex(next);
              open(messages.at(next));
            }}
            row={(at) => {
              const message = messages.at(at);
              return message === undefined ? <span className="message-gap" /> : <Row message={message} />;
            }}
          />
        </div>
        {seq !== undefined && <MessageDetailView key={seq} seq={seq} onClose={close} />}
      </div>
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
  if (view === 'hops' && !filtered) {
    return (
      <EmptyState icon="timeline" title="No traffic of a chain">
        Where this process runs a chain, what its clients say and what it says to the servers behind it stand
        here side by side.
      </EmptyState>
    );
  }
  if (filtered && recorded > 0) {
    return (
      <EmptyState icon="search" title="No message matches">
        Loosen the filter to see the others.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="timeline" title="No messages yet">
      Everything that goes to a server and comes from it appears here, as it happens.
    </EmptyState>
  );
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}
