import { useEffect, useState } from 'react';
import type { MessageDetail, MessageSummary } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { formatDuration, formatTime, plural } from '../../components/format.js';
import { LinkList } from '../../components/link-list.js';
import { command } from '../../state/api-client.js';
import { useInspector } from '../../state/inspector.js';
import { routeHash } from '../../state/route.js';
import { kindTone, kindWord, messageTitle } from './message-words.js';

const MOST = 200;

/** All messages of one call: rounds, progress, questions within it, events of its stream. */
export function CallMessages({ message }: { message: MessageDetail }) {
  const change = useInspector((state) => state.timelineChange.count);
  const [messages, setMessages] = useState<readonly MessageSummary[]>([]);
  const [total, setTotal] = useState(0);
  const { group } = message;
  useEffect(() => {
    let wanted = true;
    void change;
    command('timeline.query', { filter: { group }, offset: 0, limit: MOST }).then(
      (page) => {
        if (!wanted) return;
        setMessages(page.messages);
        setTotal(page.total);
      },
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [group, change]);
  const rounds = new Map<number, MessageSummary[]>();
  for (const each of messages) rounds.set(each.round ?? 1, [...(rounds.get(each.round ?? 1) ?? []), each]);
  return (
    <div className="stack">
      <div className="row-wrap">
        <span className="soft">{plural(total, 'message')}</span>
        <a href={routeHash('timeline', message.server, String(message.seq), { group: String(group) })}>
          Only these in the list
        </a>
      </div>
      {[...rounds].map(([round, list]) => (
        <div key={round} className="stack-tight">
          {rounds.size > 1 && <h3>Round {round}</h3>}
          <LinkList
            label={`Messages of round ${round}`}
            selected={String(message.seq)}
            items={list.map((each) => ({
              key: String(each.seq),
              href: routeHash('timeline', each.server, String(each.seq)),
              content: <CallLine message={each} />,
            }))}
          />
        </div>
      ))}
    </div>
  );
}

/** Which side of a chain it was seen on. */
function Side({ message: { hop, upstream } }: { message: MessageSummary }) {
  if (hop === 'direct') return null;
  return (
    <span className="small soft ellipsis">
      {hop === 'client' ? 'client and chain' : `chain and ${upstream}`}
    </span>
  );
}

function CallLine({ message }: { message: MessageSummary }) {
  return (
    <span className="row">
      <span aria-hidden="true">{message.direction === 'to-server' ? '→' : '←'}</span>
      <span className="mono ellipsis grow">{messageTitle(message)}</span>
      <Side message={message} />
      <Badge tone={kindTone(message)}>{kindWord(message)}</Badge>
      <span className="mono small soft">
        {message.durationMs === undefined ? formatTime(message.at) : formatDuration(message.durationMs)}
      </span>
    </span>
  );
}
