/** A list of traffic with the selected row in full beside it: the same in the panel and in the drawer. */

import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import type { MessageFilter, TimelineRow } from '../../../api.js';
import { Notice } from '../../components/notice.js';
import { VirtualList, type VirtualListHandle } from '../../components/virtual-list.js';
import { command } from '../../state/api-client.js';
import { useRowHeight } from '../../state/row-height.js';
import { MessageDetailView } from './message-detail.js';
import { type RowKind, useMessages } from './use-messages.js';

export function TrafficList({
  label,
  filter,
  rows,
  Row,
  head,
  empty,
  seq,
  onOpen,
  follow,
  onFollow,
}: {
  label: string;
  filter: MessageFilter;
  rows: RowKind;
  Row: ComponentType<{ readonly message: TimelineRow }>;
  /** Above the rows. */
  head?: ReactNode;
  /** Instead of rows, while there are none. */
  empty: ReactNode;
  /** The message that is shown in full. */
  seq: number | undefined;
  onOpen: (message: TimelineRow | undefined) => void;
  follow: boolean;
  onFollow: (follow: boolean) => void;
}) {
  const messages = useMessages(filter, rows);
  const list = useRef<VirtualListHandle>(null);
  const rowHeight = useRowHeight();
  const [index, setIndex] = useState<number | undefined>();

  // A link leads to a message by its seq; where it is in the list depends on the filter.
  useEffect(() => {
    if (seq === undefined) {
      setIndex(undefined);
      return;
    }
    let wanted = true;
    command('timeline.locate', { filter, rows, seq }).then(
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
  }, [seq, filter, rows]);

  return (
    <div className="timeline" data-open={seq !== undefined}>
      <div className="timeline-list">
        {head}
        {messages.problem && <Notice tone="bad">{messages.problem}</Notice>}
        {messages.known && messages.total === 0 && empty}
        <VirtualList
          label={label}
          count={messages.total}
          rowHeight={rowHeight}
          selected={index}
          follow={follow}
          handle={list}
          onVisible={messages.show}
          onSelect={(next) => {
            setIndex(next);
            const message = messages.at(next);
            if (message === undefined) return;
            onFollow(false);
            onOpen(message);
          }}
          row={(at) => {
            const message = messages.at(at);
            return message === undefined ? <span className="message-gap" /> : <Row message={message} />;
          }}
        />
      </div>
      {seq !== undefined && <MessageDetailView key={seq} seq={seq} onClose={() => onOpen(undefined)} />}
    </div>
  );
}
